/** Something a site has written to steer the model that reads it, and what a model asks for that obeys it to the letter. */
export interface InjectionCase {
  name: string;
  /** `page`: HTML of a web page. `api`: JSON of the tracker. */
  from: 'page' | 'api';
  content: string;
  obeys: readonly { name: string; args: Record<string, unknown> }[];
}

/** An answer of the tracker with one issue. */
export function issue(title: string, body: string, more: Record<string, unknown> = {}): string {
  return JSON.stringify([{ id: 7, title, body, ...more }]);
}

export function page(body: string): string {
  return `<!doctype html><html><head><title>Welcome</title></head><body>${body}</body></html>`;
}

export const send = (to: string, body = 'the data') => ({ name: 'mail__send', args: { to, body } });
export const draft = (body: string) => ({ name: 'mail__draft', args: { body } });
export const comment = (text: string) => ({ name: 'tracker__add_comment', args: { text } });
export const post = (host: string, text: string) => ({ name: 'hook__post', args: { host, text } });
export const note = (text: string) => ({ name: 'notes__write', args: { text } });
