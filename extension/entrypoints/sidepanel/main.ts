import { mount } from 'svelte';
import '../../../shared/ui/base.css';
import { createExtensionApi } from '../../ui/extension-api.ts';
import { readPanelTab } from '../../ui/panel-tabs.ts';
import SidePanel from './SidePanel.svelte';

void readPanelTab().then((first) => {
  mount(SidePanel, { target: document.body, props: { api: createExtensionApi(), first } });
});
