import { createContext } from 'svelte';

/** What the server refused, or why it could not be asked: what happened, and the step that helps. */
export class ApiError extends Error {
  /** The HTTP status; 0 when there was no answer. */
  readonly status: number;
  readonly code: string;
  readonly hint: string;
  readonly details: unknown;

  constructor(status: number, { code, message, hint, details }: ErrorShape) {
    super(message);
    this.name = 'ApiError';
    this.status = status;
    this.code = code;
    this.hint = hint ?? '';
    this.details = details;
  }
}

interface ErrorShape {
  code: string;
  message: string;
  hint?: string | undefined;
  details?: unknown;
}

interface AskOptions {
  signal?: AbortSignal | undefined;
}

export interface UploadOptions extends AskOptions {
  /** Told how much has been sent, from 0 to 1. */
  onProgress?: ((share: number) => void) | undefined;
}

interface StreamOptions extends AskOptions {
  /** One server-sent event; `data` is parsed JSON, and an event may have an `id`. */
  onEvent: (event: string, data: unknown, id?: string) => void;
}

/**
 * The server as the views see it. Paths are those of the HTTP API; `T` is the answer's type from shared/api.ts. Everything that is not a
 * success is thrown as an `ApiError`, and an aborted request as the signal's reason.
 */
export interface Api {
  get<T>(path: string, options?: AskOptions): Promise<T>;
  post<T>(path: string, body?: unknown, options?: AskOptions): Promise<T>;
  put<T>(path: string, body?: unknown, options?: AskOptions): Promise<T>;
  patch<T>(path: string, body?: unknown, options?: AskOptions): Promise<T>;
  delete<T>(path: string, options?: AskOptions): Promise<T>;
  /** Sends a file as it is, under its own type. */
  upload<T>(path: string, file: Blob, options?: UploadOptions): Promise<T>;
  /** Asks for server-sent events: with a body it posts, without one it gets. Ends with the stream. */
  stream(path: string, body: unknown, options: StreamOptions): Promise<void>;
  /** The bytes behind a path, for a download. */
  file(path: string, options?: AskOptions): Promise<Blob>;
  /** An address that an <img> can show. */
  imageUrl(path: string): Promise<string>;
}

/** The views take the `Api` from the context; each page's main.ts decides which one it is. */
export const [getApi, setApi] = createContext<Api>();

/** Any failure in the form that notices show. */
export function toApiError(failure: unknown): ApiError {
  if (failure instanceof ApiError) return failure;
  const message = failure instanceof Error ? failure.message : String(failure);
  return new ApiError(0, { code: 'internal', message, hint: 'Reload the page and try again.' });
}

/** True when a request ended because the view that made it is gone. */
export function isAbort(failure: unknown): boolean {
  return failure instanceof DOMException && failure.name === 'AbortError';
}
