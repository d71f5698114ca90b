import { onTestFinished } from 'vitest';
import type { Paired } from '../../shared/bridge.ts';
import { FakeExtension, type FakeKeys, type FakeOptions } from '../bridge/testing/fake-extension.ts';
import type { TestForge } from './forge.ts';

/** A browser that is connected to a Forge and was accepted over its API. */
export async function pairExtension(
  forge: TestForge,
  options: FakeOptions = {},
): Promise<{ extension: FakeExtension; id: string; keys: FakeKeys } & Paired> {
  const extension = await FakeExtension.connect(forge.url, options);
  onTestFinished(() => void extension.cut());
  const answer = await extension.greet();
  if (answer.state !== 'pairing') throw new Error('it is paired already');
  const { body } = await forge.request('GET', '/api/browsers');
  const { id } = (body.pending as { id: string; code: string }[]).find(({ code }) => code === answer.code)!;
  await forge.request('POST', `/api/browsers/${id}/accept`);
  return { extension, id, keys: extension.keys, ...(await extension.paired()) };
}
