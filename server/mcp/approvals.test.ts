import { describe, expect, it } from 'vitest';
import { install } from '../testing/demo-calls.ts';
import { testForge } from '../testing/forge.ts';
import { upstream } from '../testing/upstream.ts';
import { connectClient, ERAS, textOf } from './testing/client.ts';

function refuseToAsk(): never {
  throw new Error('there is nobody to ask');
}

describe.each(ERAS)('a call that needs a person’s yes, %s', (era) => {
  it('asks the person at the client before it destroys something, and does it once', async () => {
    const service = await upstream();
    const forge = await testForge();
    await install(forge, service.url);
    const questions: string[] = [];
    const client = await connectClient(forge, {
      era,
      answer: (message) => {
        questions.push(message);
        return { action: 'accept', content: { approve: true } };
      },
    });
    const result = await client.callTool({ name: 'demo__wipe', arguments: { id: '7' } });
    expect(result.isError).toBeUndefined();
    expect(service.seen.map(({ line }) => line)).toEqual(['DELETE /items/7']);
    expect(questions).toEqual([
      expect.stringMatching(
        /^Delete an item for good on 127.*\nDemo: wipe changes something\.\nTool: demo\.wipe\n.*"7"/s,
      ),
    ]);
    const { approvals } = (await forge.request('GET', '/api/approvals?all=true')).body;
    expect(approvals).toMatchObject([{ status: 'used', tool_id: 'demo.wipe', caller: 'test-client' }]);
  });

  it('asks about the host that an argument names, and about nothing twice', async () => {
    const service = await upstream();
    const forge = await testForge();
    await install(forge, service.url);
    const questions: string[] = [];
    const answer = (message: string) => {
      questions.push(message);
      return { action: 'accept', content: { approve: true } };
    };
    const client = await connectClient(forge, { era, answer });
    for (let time = 0; time < 2; time += 1) {
      const result = await client.callTool({ name: 'demo__reach', arguments: { host: service.host } });
      expect(result.isError, textOf(result)).toBeUndefined();
    }
    expect(questions).toEqual([expect.stringContaining(`Host: ${service.host}`)]);
  });

  it.each([
    ['declines', { action: 'decline' }],
    ['leaves the switch off', { action: 'accept', content: { approve: false } }],
    ['accepts by itself', { action: 'accept', content: {} }],
  ])('does nothing when the client %s, and does not call that a person’s no', async (_title, given) => {
    const service = await upstream();
    const forge = await testForge({ FORGE_HOLD_SECONDS: '0' });
    await install(forge, service.url);
    const client = await connectClient(forge, { era, answer: () => given });
    const result = await client.callTool({ name: 'demo__wipe', arguments: { id: '7' } });
    expect(result.isError).toBe(true);
    const [{ id, ...approval }] = (await forge.request('GET', '/api/approvals?all=true')).body.approvals;
    const message = `The client declined approval ${id}; whether a person saw it is not known.`;
    expect(textOf(result)).toContain(`approval_denied: ${message}`);
    expect(textOf(result)).not.toMatch(/person (said|denied)/);
    expect(service.seen).toEqual([]);
    expect(approval).toMatchObject({ status: 'denied', decided_by: 'client' });
    const [logged] = (await forge.request('GET', '/api/calls?tool=demo.wipe&limit=1')).body.calls;
    expect(logged).toMatchObject({ code: 'approval_denied', message });
  });

  it.each([
    ['closes the question', () => ({ action: 'cancel' })],
    ...(era === 'legacy' ? [['answers the question with an error', refuseToAsk] as const] : []),
  ] as const)('leaves the decision to Forge when the client %s, and holds the call as long', async (_title, answer) => {
    const service = await upstream();
    const forge = await testForge();
    await install(forge, service.url);
    const client = await connectClient(forge, { era, answer });
    const heard: unknown[] = [];
    const onprogress = ({ message }: { message?: string | undefined }) => void heard.push(message);
    const held = client.callTool({ name: 'demo__wipe', arguments: { id: '7' } }, { onprogress });
    await expect.poll(() => heard.at(-1)).toMatch(/^waiting for a person to approve it in Forge \(apr_\w+\)$/);
    const [{ id, status }] = (await forge.request('GET', '/api/approvals')).body.approvals;
    expect([status, service.seen.length]).toEqual(['pending', 0]);
    await forge.request('POST', `/api/approvals/${id}`, { decision: 'approve' });
    const result = await held;
    expect([result.isError, service.seen.length], textOf(result)).toEqual([undefined, 1]);
    const { approvals } = (await forge.request('GET', '/api/approvals?all=true')).body;
    expect(approvals).toMatchObject([{ id, status: 'used', decided_by: 'person' }]);
  });

  it('says where the approval waits when the client closed the question and nobody has decided in time', async () => {
    const service = await upstream();
    const forge = await testForge({ FORGE_HOLD_SECONDS: '0' });
    await install(forge, service.url);
    const client = await connectClient(forge, { era, answer: () => ({ action: 'cancel' }) });
    const result = await client.callTool({ name: 'demo__wipe', arguments: { id: '7' } });
    expect([result.isError, textOf(result)]).toEqual([true, expect.stringMatching(/^approval_required: /)]);
    expect(service.seen).toEqual([]);
    const { approvals } = (await forge.request('GET', '/api/approvals?all=true')).body;
    expect(approvals).toMatchObject([{ status: 'pending', decided_by: null }]);
  });

  it('counts what a person has said in Forge while the question was open at the client', async () => {
    const service = await upstream();
    const forge = await testForge();
    await install(forge, service.url);
    const answer = async () => {
      const [{ id }] = (await forge.request('GET', '/api/approvals')).body.approvals;
      await forge.request('POST', `/api/approvals/${id}`, { decision: 'deny' });
      return { action: 'accept', content: { approve: true } };
    };
    const client = await connectClient(forge, { era, answer });
    const result = await client.callTool({ name: 'demo__wipe', arguments: { id: '7' } });
    expect(textOf(result)).toMatch(/^approval_denied: A person denied approval /);
    expect(service.seen).toEqual([]);
  });

  const dismiss = () => ({ action: 'cancel' });
  it.each([
    ['cannot ask', 'approve', undefined, undefined, 1, 'used'],
    ['cannot ask', 'deny', undefined, true, 0, 'denied'],
    ['dismisses the form', 'approve', dismiss, undefined, 1, 'used'],
    ['dismisses the form', 'deny', dismiss, true, 0, 'denied'],
  ] as const)(
    'holds the call when the client %s, until a person has decided in Forge: %s',
    async (_title, decision, answer, isError, calls, status) => {
      const service = await upstream();
      const forge = await testForge();
      await install(forge, service.url);
      const client = await connectClient(forge, { era, answer });
      const heard: unknown[] = [];
      const onprogress = ({ message }: { message?: string | undefined }) => void heard.push(message);
      const held = client.callTool({ name: 'demo__wipe', arguments: { id: '7' } }, { onprogress });
      await expect.poll(() => heard.at(-1)).toMatch(/^waiting for a person to approve it in Forge \(apr_\w+\)$/);
      const [{ id }] = (await forge.request('GET', '/api/approvals')).body.approvals;
      await forge.request('POST', `/api/approvals/${id}`, { decision });
      const result = await held;
      expect([result.isError, service.seen.length], textOf(result)).toEqual([isError, calls]);
      expect((await forge.request('GET', `/api/approvals/${id}`)).body.status).toBe(status);
    },
  );

  it('withdraws the question when the client no longer waits', async () => {
    const service = await upstream();
    const forge = await testForge();
    await install(forge, service.url);
    const client = await connectClient(forge, { era });
    const gone = new AbortController();
    const held = client.callTool({ name: 'demo__wipe', arguments: { id: '7' } }, { signal: gone.signal });
    const read = async () => (await forge.request('GET', '/api/approvals?all=true')).body.approvals[0]?.status;
    await expect.poll(read).toBe('pending');
    gone.abort();
    await expect(held).rejects.toThrow();
    await expect.poll(read).toBe('expired');
    expect(service.seen).toEqual([]);
  });

  it('says where the approval waits when nobody has decided in time, and runs once a person has approved it in Forge', async () => {
    const service = await upstream();
    const forge = await testForge({ FORGE_HOLD_SECONDS: '0' });
    await install(forge, service.url);
    const client = await connectClient(forge, { era });
    const call = () => client.callTool({ name: 'demo__wipe', arguments: { id: '7' } });
    const waits = await call();
    expect(waits.isError).toBe(true);
    const [{ id }] = (await forge.request('GET', '/api/approvals')).body.approvals;
    expect(textOf(waits)).toContain('approval_required: Delete an item for good on 127.0.0.1:');
    expect(textOf(waits)).toContain(`forge approvals approve ${id}`);
    expect(textOf(waits)).toContain(forge.url);
    expect(textOf(await call())).toContain(id);
    expect(service.seen).toEqual([]);
    await forge.request('POST', `/api/approvals/${id}`, { decision: 'approve' });
    expect((await call()).isError).toBeUndefined();
    expect(service.seen).toHaveLength(1);
    expect((await call()).isError).toBe(true);
    expect(service.seen).toHaveLength(1);
  });
});

it.each([
  ['approve', undefined, 1],
  ['deny', true, 0],
])(
  'a question at a client with a session is taken back once a person has decided it in Forge: %s',
  async (decision, isError, calls) => {
    const service = await upstream();
    const forge = await testForge();
    await install(forge, service.url);
    let isTakenBack = false;
    const answer = async (_message: string, signal: AbortSignal) => {
      const takenBack = new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
      const [{ id }] = (await forge.request('GET', '/api/approvals')).body.approvals;
      await forge.request('POST', `/api/approvals/${id}`, { decision });
      await takenBack;
      isTakenBack = true;
      return { action: 'cancel' };
    };
    const client = await connectClient(forge, { answer });
    const heard: unknown[] = [];
    const onprogress = ({ message }: { message?: string | undefined }) => void heard.push(message);
    const result = await client.callTool({ name: 'demo__wipe', arguments: { id: '7' } }, { onprogress });
    expect([result.isError, service.seen.length]).toEqual([isError, calls]);
    await expect.poll(() => isTakenBack).toBe(true);
    expect(heard[0]).toBe('waiting for a person to say yes or no');
  },
);
