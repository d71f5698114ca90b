import { defineUnlistedScript } from 'wxt/utils/define-unlisted-script';
import { leavePagePicker } from '../picker/page/page-picker.ts';

export default defineUnlistedScript(leavePagePicker);
