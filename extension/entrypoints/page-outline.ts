import { defineUnlistedScript } from 'wxt/utils/define-unlisted-script';
import type { OutlineHolder } from '../inspect/outline.ts';
import { outlinePage } from '../inspect/page/outline.ts';

export default defineUnlistedScript(() => {
  (globalThis as OutlineHolder).forgePageOutline = outlinePage;
});
