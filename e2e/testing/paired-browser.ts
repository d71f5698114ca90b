import { onTestFinished } from 'vitest';
import { FakeExtension } from '../../server/bridge/testing/fake-extension.ts';
import type { ForgeProcess } from './forge-process.ts';

/** A browser that was accepted, and whose pages all return the same. */
export async function pairBrowser(forge: ForgeProcess, returned: unknown): Promise<FakeExtension> {
  const extension = await FakeExtension.connect(forge.url);
  onTestFinished(() => void extension.cut());
  await extension.greet();
  const { pending } = (await (await forge.call('GET', '/api/browsers')).json()) as { pending: { id: string }[] };
  await forge.call('POST', `/api/browsers/${pending[0]!.id}/accept`);
  await extension.paired();
  extension.onRequest = (asked) => asked.returns(returned);
  return extension;
}
