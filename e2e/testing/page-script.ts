import type { Page } from 'playwright';

export interface ScriptAnswer {
  status: number;
  code: string;
  confirmation: string;
  url: string;
}

/** What a script in the page's origin can do at most: send requests with the page's cookie, and with the key that it reads from the page's storage. */
export function sendAsScript(
  page: Page,
  method: string,
  place: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<ScriptAnswer> {
  return page.evaluate(
    async ([how, where, what, more]) => {
      const answer = await fetch(where, {
        method: how,
        headers: {
          'X-Forge-Page-Key': localStorage.getItem('forge.page-key') ?? '',
          ...(what === null ? {} : { 'Content-Type': 'application/json' }),
          ...more,
        },
        ...(what === null ? {} : { body: what }),
      });
      const text = await answer.text();
      const { error } = (text === '' ? {} : JSON.parse(text)) as {
        error?: { code: string; details?: { confirmation_id?: string; url?: string } };
      };
      return {
        status: answer.status,
        code: error?.code ?? '',
        confirmation: error?.details?.confirmation_id ?? '',
        url: error?.details?.url ?? '',
      };
    },
    [method, place, body === undefined ? null : JSON.stringify(body), headers] as const,
  );
}
