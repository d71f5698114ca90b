import { MediaQuery } from 'svelte/reactivity';

/** Whether what is opened in a list has room beside it. */
export const isWide = new MediaQuery('width >= 1280px');
