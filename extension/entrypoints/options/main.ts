import Puzzle from '@lucide/svelte/icons/puzzle';
import { mount } from 'svelte';
import '../../../shared/ui/base.css';
import App from '../../../shared/ui/App.svelte';
import { createRouter } from '../../../shared/ui/router.svelte.ts';
import { createExtensionApi } from '../../ui/extension-api.ts';
import { takeOffer } from '../../ui/offered-tools.ts';

// What concerns this browser alone works without Forge, so it comes first.
const OWN = '/settings/this-browser';
const ownViews = [
  { path: OWN, title: 'This browser', icon: Puzzle, isInBar: true, load: () => import('../../ui/ThisBrowser.svelte') },
];

// What the picker sends to the editor is there before the editor is.
void takeOffer().finally(() =>
  mount(App, {
    target: document.body,
    props: { api: createExtensionApi(), router: createRouter('hash', OWN), ownViews },
  }),
);
