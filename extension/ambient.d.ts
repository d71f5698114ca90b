/** True in builds that may talk to any port of this computer. */
declare const __FORGE_ANY_PORT__: boolean;

declare module '*.svelte' {
  import type { Component } from 'svelte';
  const component: Component;
  export default component;
}
