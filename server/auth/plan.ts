import type { ExpiryUnit } from '../../shared/manifest/expiry-unit.ts';
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
interface Transport {
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
    };

/** Turns one kind of auth block into a plan. */
export type Scheme<A> = (auth: A, scope: Scope, options: PlanOptions) => AuthPlan;

/** The plan of a request that proves nothing: a public endpoint, or a credential that is not filled in (W-06). */
export const NO_AUTH: AuthPlan = { kind: 'static', headers: {}, query: [] };
