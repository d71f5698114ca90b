import { mount } from 'svelte';
import '../../shared/ui/base.css';
import { createRouter } from '../../shared/ui/router.svelte.ts';
import { HOME } from '../../shared/ui/views.ts';
import Page from './Page.svelte';
import { takeToken } from './take-token.ts';

const token = takeToken();
mount(Page, { target: document.body, props: { token, router: createRouter('path', HOME) } });
