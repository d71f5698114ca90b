import { mount } from 'svelte';
import '../../shared/ui/base.css';
import { createRouter } from '../../shared/ui/router.svelte.ts';
import { HOME } from '../../shared/ui/views.ts';
import Page from './Page.svelte';
import { takeCode } from './take-code.ts';

const code = takeCode();
mount(Page, { target: document.body, props: { code, router: createRouter('path', HOME) } });
