import { describe, expect, it } from 'vitest';
import type { Run } from '../../shared/bridge.ts';
import type { Asked } from '../bridge/testing/fake-extension.ts';
import { testForge } from '../testing/forge.ts';
import { pairExtension } from '../testing/paired-extension.ts';
import { connectClient, ERAS, textOf } from './testing/client.ts';

const MANIFEST = `id: web
name: Web
version: "1.0.0"
host_match: 'https://web.test/*'
tools:
  wipe: { description: Deletes a row., destructive: true, parameters: { id: { required: true } }, script: return 1 }
`;

async function world(env: Record<string, string> = {}) {
  const forge = await testForge(env);
  await forge.request('POST', '/api/connectors/install-local', { yaml: MANIFEST });
  const { extension } = await pairExtension(forge);
  // As the extension does: it asks, and runs the script after a yes from elsewhere.
  const answer = (asked: Asked, approved: boolean): void => {
    if (approved) asked.returns('wiped');
    else asked.fails({ code: 'approval_denied', message: 'No.' });
  };
  extension.onRequest = (asked) => {
    const { call_id, approval } = asked.params as Run;
    if (approval === null) {
      answer(asked, true);
      return;
    }
    extension.asking({ call_id, state: 'asked' });
    // One that is cancelled hears of no answer, and its socket ends with the test.
    extension.nextDecided().then(
      ({ approved }) => answer(asked, approved),
      () => undefined,
    );
  };
  const statuses = async () =>
    ((await forge.request('GET', '/api/approvals?all=true')).body.approvals as { status: string }[]).map(
      ({ status }) => status,
    );
  return { forge, extension, statuses };
}

const CALL = { name: 'web__wipe', arguments: { id: '7' } };

describe.each(ERAS)('K-10 a destructive call in a browser, %s', (era) => {
  it('is answered by the person at the client', async () => {
    const { forge, statuses } = await world();
    const questions: string[] = [];
    const answer = (message: string) => {
      questions.push(message);
      return { action: 'accept', content: { approve: true } };
    };
    const client = await connectClient(forge, { era, answer });
    const result = await client.callTool(CALL);
    expect([result.isError, textOf(result)]).toEqual([undefined, 'wiped']);
    expect(questions).toEqual([expect.stringMatching(/^Deletes a row on web\.test\n.*Tool: web\.wipe\n.*"7"/s)]);
    expect(await statuses()).toEqual(['used']);
  });

  it('is refused by the client, and not said to be refused by a person', async () => {
    const { forge, statuses } = await world();
    const client = await connectClient(forge, { era, answer: () => ({ action: 'decline' }) });
    expect(textOf(await client.callTool(CALL))).toMatch(/^approval_denied: The client declined approval apr_/);
    expect(await statuses()).toEqual(['denied']);
    const [logged] = (await forge.request('GET', '/api/calls?tool=web.wipe&limit=1')).body.calls;
    expect(logged).toMatchObject({ message: expect.stringMatching(/^The client declined approval apr_/) });
  });

  it('is held no longer than for a client that cannot ask when the client closes the question', async () => {
    const { forge, statuses } = await world({ FORGE_HOLD_SECONDS: '0' });
    const client = await connectClient(forge, { era, answer: () => ({ action: 'cancel' }) });
    expect(textOf(await client.callTool(CALL))).toMatch(/^approval_required: /);
    expect(await statuses()).toEqual(['pending']);
  });

  it.each([
    ['cannot ask', undefined],
    ['dismisses the form', () => ({ action: 'cancel' })],
  ])('is answered in Forge where the client %s, which is told so in time', async (_title, answer) => {
    const { forge, statuses } = await world({ FORGE_HOLD_SECONDS: '0' });
    const client = await connectClient(forge, { era, answer });
    const waiting = textOf(await client.callTool(CALL));
    expect(waiting).toMatch(/^approval_required: /);
    const [id = ''] = /apr_\w+/.exec(waiting) ?? [];
    await forge.request('POST', `/api/approvals/${id}`, { decision: 'approve' });
    expect(textOf(await client.callTool(CALL))).toBe('wiped');
    expect(await statuses()).toEqual(['used']);
  });
});

it('K-10 the question at the client is taken back once it is answered in the browser', async () => {
  const { forge, extension, statuses } = await world();
  extension.onRequest = (asked) => {
    const { call_id } = asked.params as Run;
    extension.asking({ call_id, state: 'asked' });
    answered = () => {
      extension.asking({ call_id, state: 'approved' });
      asked.returns('wiped');
    };
  };
  let answered = (): void => undefined;
  let isTakenBack = false;
  const answer = async (_message: string, signal: AbortSignal) => {
    const takenBack = new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
    answered();
    await takenBack;
    isTakenBack = true;
    return { action: 'cancel' };
  };
  const client = await connectClient(forge, { answer });
  expect(textOf(await client.callTool(CALL))).toBe('wiped');
  await expect.poll(() => isTakenBack).toBe(true);
  expect(await statuses()).toEqual(['used']);
});
