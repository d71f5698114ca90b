import {
  notificationFrame,
  requestFrame,
  REQUESTS,
  type Frame,
  type Notice,
  type ParamsOf,
  type ResultOf,
} from '../../shared/bridge.ts';
import { problemWith } from '../../shared/shape-problem.ts';
import type { Allowed, Asking } from '../../shared/bridge-approvals.ts';
import { ForgeError } from '../../shared/errors.ts';
import type { StopSignal } from '../../shared/stop-signal.ts';
import type { Browser, Browsers } from './browsers.ts';
import { Arrivals } from './arrivals.ts';
import { siteOf, type RoutedMethod, type Site } from './call-site.ts';
import { chooseBrowser, requireUsable, type Candidate } from './choose-browser.ts';
import type { Clock } from './clock.ts';
import { abortError, Flight, type RawAnswer } from './flight.ts';
import { GivenUp } from './given-up.ts';
import type { RouteOptions, SendLimits } from './route-options.ts';
import { errorOfWire, whereToLogIn } from './wire-error.ts';

type SentMethod = RoutedMethod | 'tab.has';

interface Routed<M extends SentMethod> {
  result: ResultOf<M>;
  /** The text that travelled unread. */
  body: string | null;
}

/** The way from a call to a browser, wherever its socket is. */
interface BridgeRouter {
  /** Sends a request once, to one browser, and waits for its answer: at most `timeout_ms` of its params and what is added to them. */
  request<M extends RoutedMethod>(method: M, params: ParamsOf<M>, options: RouteOptions): Promise<Routed<M>>;
}

/** A paired browser's open socket; false when it is no longer open, and nothing was sent. */
export type SendFrame = (text: string) => boolean;

type Reply = Extract<Frame, { kind: 'result' | 'error' }>;

interface Reachable extends Candidate {
  browser: Browser;
  send: SendFrame;
  inFlight: number;
  activeAt: number;
  succeededAt: Map<string, number>;
}

interface RouterDeps {
  browsers: Pick<Browsers, 'find' | 'list'>;
  clock: Clock;
  nextId: () => number;
  redact: (text: string) => string;
}

/** An answer that was given in time may take this long to arrive. */
const TRAVEL_MS = 1000;
/** A socket that was cut may be back this soon, with the answers of what it carried, or the word that it still runs. */
const GRACE_MS = 2000;
/** How long a call waits to hear which browser has its site open. */
const TAB_ANSWER_MS = 300;

/** The router for sockets of this very process. */
export class InProcessRouter implements BridgeRouter {
  readonly #deps: RouterDeps;
  readonly #reachable = new Map<string, Reachable>();
  #waiting = 0;
  readonly #arrivals: Arrivals;
  readonly #flights = new Map<number, Flight>();
  readonly #givenUp = new GivenUp();
  readonly #successes = new Map<string, Map<string, number>>();
  #activity = 0;
  #isClosing = false;
  #onIdle: () => void = () => undefined;

  constructor(deps: RouterDeps) {
    this.#deps = deps;
    this.#arrivals = new Arrivals(deps.browsers, deps.clock);
  }

  async request<M extends RoutedMethod>(method: M, params: ParamsOf<M>, options: RouteOptions): Promise<Routed<M>> {
    const { clock } = this.#deps;
    const { signal, connector, extraMs = 0 } = options;
    if (signal.aborted) throw abortError(signal);
    if (this.#isClosing) throw new ForgeError('shutting_down', 'Forge is stopping');
    const named = options.browser === undefined ? null : this.#named(options.browser);
    const began = clock.now();
    // Only what was waited for counts: a browser that is there gets the whole time.
    let waitedMs = 0;
    for (;;) {
      const hasChoice = named === null && this.#reachable.size > 1;
      let reachable: Reachable | null;
      if (hasChoice) {
        reachable = await this.#chooseByTab(connector, siteOf(params), signal);
        waitedMs = clock.now() - began;
      } else {
        reachable = this.#choose(named, connector);
      }
      if (reachable === null) {
        await this.#arrivals.next(named, { waitedMs, limitMs: params.timeout_ms, signal });
        waitedMs = clock.now() - began;
        continue;
      }
      requireUsable(reachable);
      const leftMs = Math.max(1, params.timeout_ms - waitedMs);
      const { onAllowed, onAsking, redact } = options;
      const limits = { limitMs: leftMs + extraMs + TRAVEL_MS, signal, onAllowed, onAsking, redact };
      const flight = this.#send(reachable, method, { ...params, timeout_ms: leftMs }, limits);
      if (flight === null) {
        this.detach(reachable.browser.id, reachable.send);
        continue;
      }
      const answer = checked(method, await flight.answer);
      if (method === 'connector.run') reachable.succeededAt.set(connector, this.#tick());
      return answer;
    }
  }

  /** A browser is ready; whoever waits for it goes on. `running` are the calls it says it is still at work on. */
  attach(browser: Browser, send: SendFrame, running: readonly string[] = []): void {
    // What went over an older socket has its answer soon, over this one, or never; unless it is said to run.
    if (this.#reachable.has(browser.id)) this.#lose(browser.id);
    const unknown = new Set(running);
    for (const flight of this.#flights.values()) {
      if (flight.browserId === browser.id && flight.callId !== null && unknown.delete(flight.callId)) {
        flight.find();
        flight.tellDecision(send);
      }
    }
    const succeededAt = this.#successes.get(browser.id) ?? new Map<string, number>();
    this.#successes.set(browser.id, succeededAt);
    const inFlight = [...this.#flights.values()].filter(({ browserId }) => browserId === browser.id).length;
    const reached = { browser, send, paused: browser.paused, inFlight, activeAt: this.#tick(), succeededAt };
    this.#reachable.set(browser.id, reached);
    // A server that was killed has forgotten what it asked for, and nobody waits for it.
    for (const call_id of new Set([...this.#givenUp.takeCalls(browser.id), ...unknown]))
      send(notificationFrame('connector.cancel', { call_id }));
    if (this.#waiting > 0) send(notificationFrame('waiting', { count: this.#waiting }));
    this.#arrivals.arrived(browser.id);
  }

  /** A socket is gone. It may have been replaced before, and then nothing is lost. */
  detach(browserId: string, send: SendFrame): void {
    if (this.#reachable.get(browserId)?.send !== send) return;
    this.#reachable.delete(browserId);
    this.#arrivals.left(browserId);
    this.#lose(browserId);
  }

  /** A browser that is no longer trusted: what it was doing ends at once, and nobody waits for it. */
  forget(browserId: string): void {
    this.#reachable.delete(browserId);
    this.#arrivals.forget(browserId);
    this.#givenUp.takeCalls(browserId);
    this.#successes.delete(browserId);
    for (const flight of this.#flights.values()) {
      if (flight.browserId === browserId)
        flight.fail(new ForgeError('bridge_offline', 'the browser was revoked while the call ran'), true);
    }
  }

  /** Its name, or whether it is paused, has changed. */
  update(browser: Browser): void {
    const reachable = this.#reachable.get(browser.id);
    if (reachable === undefined) return;
    reachable.browser = browser;
    reachable.paused = browser.paused;
    reachable.activeAt = this.#tick();
  }

  /** These were connected before the server began, and are probably on their way back. */
  expect(browserIds: Iterable<string>): void {
    for (const id of browserIds) this.#arrivals.left(id);
  }

  /** Whether a reply answers something; one that comes too late is nobody's fault. */
  reply(browserId: string, reply: Reply): boolean {
    const flight = this.#flights.get(reply.id);
    if (flight?.browserId !== browserId) return this.#givenUp.take(reply.id, browserId);
    if (reply.kind === 'error') flight.fail(whereToLogIn(errorOfWire(reply.error, flight.redact), browserId), true);
    else flight.arrive(reply);
    return true;
  }

  /** What a person said about later calls of a tool; false unless this browser is asking them about that very call. */
  allowed(browserId: string, allowed: Allowed): boolean {
    return this.#flightOf(allowed.call_id, browserId)?.allow(allowed) ?? false;
  }

  /** How far that browser's question about a call has got; false unless it was told to ask. */
  asking(browserId: string, { call_id, state }: Asking): boolean {
    return this.#flightOf(call_id, browserId)?.ask(state) ?? false;
  }

  /** Hands on what a person has said elsewhere about a call that a browser asks about; one that is away hears it when it is back. */
  decide(callId: string, approved: boolean): void {
    const flight = this.#flightOf(callId);
    if (flight === null) return;
    flight.decision = approved;
    const reachable = this.#reachable.get(flight.browserId);
    if (reachable !== undefined) flight.tellDecision(reachable.send);
  }

  /** A reply that cannot be read still belongs to somebody. */
  garbled(browserId: string, id: number, problem: string): boolean {
    const flight = this.#flights.get(id);
    if (flight?.browserId !== browserId) return false;
    flight.fail(new ForgeError('bridge_protocol', `the browser’s answer cannot be read: ${problem}`), true);
    return true;
  }

  /** Tells a person something in the browser that was active last; false when none is connected. */
  notify(notice: Notice): boolean {
    const [last] = [...this.#reachable.values()].sort((one, other) => other.activeAt - one.activeAt);
    return last?.send(notificationFrame('notify', notice)) ?? false;
  }

  /** Says in every browser how many calls wait for a person. */
  tellWaiting(count: number): void {
    this.#waiting = count;
    for (const { send } of this.#reachable.values()) send(notificationFrame('waiting', { count }));
  }

  isConnected(browserId: string): boolean {
    return this.#reachable.has(browserId);
  }

  connected(): number {
    return this.#reachable.size;
  }

  /** Takes no more requests, and resolves when those under way have ended. */
  async close(): Promise<void> {
    this.#isClosing = true;
    this.#arrivals.close();
    if (this.#flights.size > 0) await new Promise<void>((resolve) => (this.#onIdle = resolve));
  }

  #flightOf(callId: string, browserId?: string): Flight | null {
    for (const flight of this.#flights.values())
      if (flight.callId === callId && (browserId === undefined || flight.browserId === browserId)) return flight;
    return null;
  }

  #lose(browserId: string): void {
    for (const flight of this.#flights.values()) if (flight.browserId === browserId) flight.lose(GRACE_MS);
  }

  #named(idOrName: string): Browser {
    const { browsers } = this.#deps;
    const found = browsers.find(idOrName);
    if (found !== null) return found;
    const names = browsers.list().map(({ name }) => name);
    const known = names.length === 0 ? 'none is paired' : `the paired ones are ${names.join(', ')}`;
    throw new ForgeError(
      'browser_not_found',
      `there is no browser ${JSON.stringify(idOrName.slice(0, 100))}; ${known}`,
    );
  }

  #choose(named: Browser | null, connector: string): Reachable | null {
    if (named !== null) return this.#reachable.get(named.id) ?? null;
    return chooseBrowser(this.#reachable.values(), connector);
  }

  /** Those that have the site open come first, if there are any (K-55). */
  async #chooseByTab(connector: string, site: Site | null, signal: StopSignal): Promise<Reachable | null> {
    const usable = [...this.#reachable.values()].filter(({ paused }) => !paused);
    if (site === null || usable.length < 2) return this.#choose(null, connector);
    const answers = await Promise.all(usable.map((one) => this.#hasTab(one, site, signal)));
    if (signal.aborted) throw abortError(signal);
    const having = usable.filter((_, index) => answers[index]);
    return having.length === 0 ? this.#choose(null, connector) : chooseBrowser(having, connector);
  }

  /** A browser that does not know the question, or takes too long, is one like any other. */
  async #hasTab(reachable: Reachable, site: Site, signal: StopSignal): Promise<boolean> {
    const flight = this.#send(reachable, 'tab.has', site, { limitMs: TAB_ANSWER_MS, signal, isUse: false });
    if (flight === null) return false;
    return flight.answer.then(
      (answer) => checked('tab.has', answer).result.has,
      () => false,
    );
  }

  #send<M extends SentMethod>(
    reachable: Reachable,
    method: M,
    params: ParamsOf<M>,
    { limitMs, signal, onAllowed, onAsking, redact = this.#deps.redact, isUse = true }: SendLimits,
  ): Flight | null {
    const { clock, nextId } = this.#deps;
    const id = nextId();
    if (!reachable.send(requestFrame(id, method, params))) return null;
    const flight = new Flight({
      id,
      browserId: reachable.browser.id,
      callId: 'call_id' in params ? params.call_id : null,
      limitMs,
      signal,
      clock,
      onAllowed,
      onAsking,
      redact,
      onEnd: (ended, answered) => this.#ended(ended, answered, isUse),
    });
    this.#flights.set(id, flight);
    reachable.inFlight += 1;
    if (isUse) reachable.activeAt = this.#tick();
    return flight;
  }

  #ended(flight: Flight, answered: boolean, isUse: boolean): void {
    this.#flights.delete(flight.id);
    const reachable = this.#reachable.get(flight.browserId);
    if (reachable !== undefined) {
      reachable.inFlight -= 1;
      if (isUse) reachable.activeAt = this.#tick();
    }
    if (!answered) this.#abandon(flight, reachable);
    if (this.#flights.size === 0) this.#onIdle();
  }

  /** Tells the browser that nobody waits any more, now or when it is back. */
  #abandon({ id, browserId, callId }: Flight, reachable: Reachable | undefined): void {
    this.#givenUp.add(id, browserId);
    if (callId === null) return;
    if (reachable === undefined) this.#givenUp.stopLater(browserId, callId);
    else reachable.send(notificationFrame('connector.cancel', { call_id: callId }));
  }

  #tick(): number {
    this.#activity += 1;
    return this.#activity;
  }
}

/** The one look at an answer's head; its body is for whoever asked. */
function checked<M extends SentMethod>(method: M, { result, body }: RawAnswer): Routed<M> {
  const problem = problemWith(REQUESTS[method].result, result);
  if (problem !== null) throw new ForgeError('bridge_protocol', `the browser’s answer cannot be read: ${problem}`);
  return { result: result as ResultOf<M>, body }; // checked in the line above
}
