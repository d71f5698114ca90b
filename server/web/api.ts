/** What the server refused, in its own words. */
export class ApiError extends Error {
  readonly status: number;
  readonly hint: string;

  constructor(status: number, message: string, hint: string) {
    super(message);
    this.status = status;
    this.hint = hint;
  }
}

/** A same-origin call; the cookie comes along by itself. */
export async function call<T>(method: string, path: string, body?: unknown): Promise<T> {
  const response = await fetch(path, {
    method,
    ...(body === undefined ? {} : { body: JSON.stringify(body), headers: { 'Content-Type': 'application/json' } }),
  });
  const text = await response.text();
  // The server answers with JSON of the route's own schema, or with the error shape.
  const answer = (text === '' ? {} : JSON.parse(text)) as T & { error?: { message: string; hint?: string } };
  if (!response.ok)
    throw new ApiError(response.status, answer.error?.message ?? response.statusText, answer.error?.hint ?? '');
  return answer;
}
