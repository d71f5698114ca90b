import { Agent, Pool, ProxyAgent, type Dispatcher } from 'undici';
import type { HttpRequest, RunContext } from '../job.ts';
import { refuseHost } from './address-rules.ts';
import { CONNECT_TIMEOUT_MS } from './failures.ts';
import { guardedConnect, watchedConnect } from './guarded-connect.ts';
import { systemLookup, type Lookup } from './guarded-lookup.ts';
import { chooseProxy, type ProxySettings } from './proxy.ts';

interface DispatcherOptions {
  ownPorts: () => readonly number[];
  lookup?: Lookup | undefined;
  proxy: ProxySettings;
}

export type OnStage = NonNullable<RunContext['onStage']>;

type Policy = Pick<HttpRequest, 'hostFrom' | 'verifyTls'>;

/** The connections a request may use, and the proxy they lead through. */
export interface Route {
  dispatcher: Dispatcher;
  /** For messages; without its credentials. */
  proxy: string | null;
}

/** Keeps connections alive, apart for each combination of rules so that none is reused where it would not have been made. */
export class Dispatchers {
  readonly #options: DispatcherOptions;
  readonly #proxyFor: (url: URL) => URL | null;
  readonly #routes = new Map<string, Route>();

  constructor(options: DispatcherOptions) {
    this.#options = options;
    this.#proxyFor = chooseProxy(options.proxy);
  }

  /**
   * Finds the way to a URL. Behind a proxy it is the proxy that resolves names, out of Forge's sight: only what is written in the URL
   * is checked here. Without one the address is checked when the connection is made.
   */
  route(url: URL, policy: Policy): Route {
    const proxy = this.#proxyFor(url);
    if (proxy === null) return this.#direct(policy);
    const refusal = refuseHost(url, { hostFrom: policy.hostFrom, ownPorts: this.#options.ownPorts });
    if (refusal !== null) throw refusal;
    return this.#proxied(proxy, policy.verifyTls);
  }

  /** A way of its own for one request, so that what is told about it is about this one; it is closed with the request. */
  watchedRoute(url: URL, policy: Policy, onStage: OnStage): Route & { close: () => Promise<void> } {
    // What a proxy does is out of sight.
    if (this.#proxyFor(url) !== null) return { ...this.route(url, policy), close: () => Promise.resolve() };
    const dispatcher = this.#agent(policy, onStage);
    return { dispatcher, proxy: null, close: () => dispatcher.destroy() };
  }

  /** Ends every connection; requests on them fail. */
  async close(): Promise<void> {
    const routes = [...this.#routes.values()];
    this.#routes.clear();
    await Promise.all(routes.map(({ dispatcher }) => dispatcher.destroy()));
  }

  #direct({ hostFrom, verifyTls }: Policy): Route {
    const key = verifyTls ? hostFrom : `${hostFrom} without certificates`;
    const known = this.#routes.get(key);
    if (known !== undefined) return known;
    return this.#keep(key, { dispatcher: this.#agent({ hostFrom, verifyTls }), proxy: null });
  }

  #agent({ hostFrom, verifyTls }: Policy, onStage?: OnStage): Agent {
    const { ownPorts, lookup = systemLookup } = this.#options;
    const rules = { hostFrom, ownPorts, lookup, verifyTls };
    return new Agent({
      // One connector for each origin, so that it knows the host and port it connects for.
      factory: (origin) => {
        const at = new URL(origin);
        return new Pool(origin, {
          connect: onStage === undefined ? guardedConnect(at, rules) : watchedConnect(at, rules, onStage),
        });
      },
    });
  }

  #proxied(proxy: URL, verifyTls: boolean): Route {
    const key = verifyTls ? proxy.href : `${proxy.href} without certificates`;
    const known = this.#routes.get(key);
    if (known !== undefined) return known;
    const dispatcher = new ProxyAgent({
      uri: proxy.href,
      // Proxies commonly allow tunnels to the https port only, so plain http is forwarded.
      proxyTunnel: false,
      proxyTls: { timeout: CONNECT_TIMEOUT_MS },
      requestTls: { rejectUnauthorized: verifyTls, timeout: CONNECT_TIMEOUT_MS },
    });
    return this.#keep(key, { dispatcher, proxy: proxy.host });
  }

  #keep(key: string, route: Route): Route {
    this.#routes.set(key, route);
    return route;
  }
}
