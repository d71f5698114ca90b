import Bot from '@lucide/svelte/icons/bot';
import Brain from '@lucide/svelte/icons/brain';
import Globe from '@lucide/svelte/icons/globe';
import History from '@lucide/svelte/icons/history';
import MessagesSquare from '@lucide/svelte/icons/messages-square';
import Plug from '@lucide/svelte/icons/plug';
import Timer from '@lucide/svelte/icons/timer';
import type { LucideProps } from '@lucide/svelte';
import { createContext, type Component } from 'svelte';
import { matchPath } from './match-path.ts';

/** What every view gets: the named parts of its path. */
export interface ViewProps {
  params: Record<string, string>;
}

export interface View {
  path: string;
  /** More addresses of the same view, such as its tabs. */
  also?: readonly string[];
  title: string;
  /** Shown in the rail with this icon; views without one are reached from others. */
  icon?: Component<LucideProps>;
  /** Where the person answers what waits for them. */
  showsWaiting?: boolean;
  /** Stands in the bar of a narrow window itself; the others are behind “More”. */
  isInBar?: boolean;
  /** Where Escape leads. A list that shows one of its own leads back to itself, with its query. */
  parent?: string;
  load: () => Promise<{ default: Component<ViewProps> | Component<Record<string, never>> | Component }>;
}

export const HOME = '/settings/connectors';
/** Shows by itself which browsers ask to be paired. */
export const BROWSERS = '/settings/browsers';

/** Every view there is, in the order of the rail. A view is loaded when somebody goes there. */
export const VIEWS: readonly View[] = [
  {
    path: '/chat',
    also: ['/chat/:session'],
    title: 'Chat',
    icon: MessagesSquare,
    isInBar: true,
    load: () => import('./chat/Chat.svelte'),
  },
  {
    path: HOME,
    title: 'Connectors',
    icon: Plug,
    isInBar: true,
    load: () => import('./connectors/Connectors.svelte'),
  },
  {
    // A + cannot be part of a connector's id.
    path: `${HOME}/+new`,
    title: 'New connector',
    parent: HOME,
    load: () => import('./connector/edit/NewConnector.svelte'),
  },
  {
    path: `${HOME}/:id`,
    also: [`${HOME}/:id/:tab`],
    title: 'Connector',
    parent: HOME,
    load: () => import('./connector/ConnectorPage.svelte'),
  },
  { path: BROWSERS, title: 'Browsers', icon: Globe, load: () => import('./browsers/Browsers.svelte') },
  { path: '/settings/clients', title: 'Clients', icon: Bot, load: () => import('./clients/Clients.svelte') },
  { path: '/settings/models', title: 'Models', icon: Brain, load: () => import('./models/Models.svelte') },
  {
    path: '/activity',
    also: ['/activity/:call'],
    title: 'Activity',
    icon: History,
    showsWaiting: true,
    isInBar: true,
    parent: '/activity',
    load: () => import('./activity/Activity.svelte'),
  },
  {
    path: '/watches',
    also: ['/watches/:id'],
    title: 'Watches',
    icon: Timer,
    isInBar: true,
    parent: '/watches',
    load: () => import('./watches/Watches.svelte'),
  },
];

/** The views of this page: those above, and what the page adds. */
export const [getViews, setViews] = createContext<readonly View[]>();

/** True for the page itself and everything below it. */
export function isIn(here: string, path: string): boolean {
  return here === path || here.startsWith(`${path}/`);
}

/** The view of a path and its parameters; null when there is none. */
export function findView(views: readonly View[], path: string): { view: View; params: Record<string, string> } | null {
  for (const view of views) {
    for (const pattern of [view.path, ...(view.also ?? [])]) {
      const params = matchPath(pattern, path);
      if (params !== null) return { view, params };
    }
  }
  return null;
}
