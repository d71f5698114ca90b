import type { ExpiryUnit } from '../../shared/manifest/expiry-unit.ts';
import type { Capture, ExpiredMatch } from '../../shared/manifest/schema/session.ts';
import type { Secret } from '../../shared/secret.ts';
import type { UrlPrefix } from '../../shared/template/expand-url.ts';
import type { Scope, SecretPolicy } from '../../shared/template/scope.ts';
import type { UrlEncoding } from '../../shared/template/url-encode.ts';

/** How the templates of an auth block are filled. */
export interface PlanOptions {
  readonly secrets: SecretPolicy;
  readonly bareNames: ReadonlySet<string>;
  /** `url_encoding` by parameter, for an exchange URL that carries arguments. */
  readonly encodings?: Readonly<Record<string, UrlEncoding>>;
}

/** How an exchange travels: like the request it is made for. */
export interface Transport {
  readonly verifyTls: boolean;
  readonly hostFrom: 'manifest' | 'person';
  readonly timeoutMs: number;
}

/** One round trip that turns a credential into a bearer, with every template filled in. */
export interface ExchangeRequest {
  readonly url: string;
  readonly method: 'POST' | 'GET';
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
  /** Whose bearer it is: the API token, or the serialised body (C-77). */
  readonly identity: string;
  readonly bearerPath: string;
  readonly expiresPath: string;
  /** Null: the name at the end of the path says it, or nothing does. */
  readonly expiresUnit: ExpiryUnit | null;
  /** How long a bearer is used whose answer does not say when it expires. */
  readonly ttlSec: number;
  readonly format: 'bearer' | 'bare';
  /** Filled in by whoever knows where the request may go. */
  readonly transport?: Transport;
}

/** A request of a login, as it is sent. */
export interface LoginRequest {
  readonly method: string;
  readonly url: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
}

/** What the steps of a login have captured, by name. */
export type Captured = Readonly<Record<string, Secret>>;

/** One step of a login: its request is filled in when the steps before it have captured what it needs. */
export interface LoginStep {
  /** Where it goes, which nothing that is captured can change. */
  readonly prefix: UrlPrefix;
  readonly request: (captured: Captured) => LoginRequest;
  readonly capture: Readonly<Record<string, Capture>>;
  readonly successMatch: { readonly path: string; readonly equals: string | number | boolean } | null;
  /** Filled in by whoever knows where the request may go. */
  readonly transport?: Transport;
}

/** The token that proves that a change was asked for by whoever holds the session. */
export interface CsrfPlan {
  /** Captured by a login, or asked for before each change. */
  readonly source: { readonly captured: string } | { readonly step: LoginStep };
  readonly place: 'header' | 'form' | 'query';
  readonly name: string;
}

/** A login that leaves cookies. */
export interface SessionPlan {
  /** Whose session it is: the requests of the login with everything that settings say. */
  readonly identity: string;
  /** The connector; filled in by whoever knows it, so that no two connectors share a session. */
  readonly owner?: string;
  readonly steps: readonly LoginStep[];
  readonly csrf: CsrfPlan | null;
  readonly expired: ExpiredMatch | null;
  readonly ttlSec: number;
}

/** What a request needs to prove who it is: something to add to it, or another request first. */
export type AuthPlan =
  | {
      readonly kind: 'static';
      readonly headers: Readonly<Record<string, string>>;
      readonly query: readonly (readonly [string, string])[];
    }
  | {
      readonly kind: 'exchange';
      readonly exchange: ExchangeRequest;
      /** Where the credential goes and which tokens decide it: a host that an argument names is put to the person first (K-61). */
      readonly prefix: UrlPrefix;
    }
  | { readonly kind: 'session'; readonly session: SessionPlan };

/** Turns one kind of auth block into a plan. */
export type Scheme<A> = (auth: A, scope: Scope, options: PlanOptions) => AuthPlan;

/** The plan of a request that proves nothing: a public endpoint, or a credential that is not filled in (W-06). */
export const NO_AUTH: AuthPlan = { kind: 'static', headers: {}, query: [] };
