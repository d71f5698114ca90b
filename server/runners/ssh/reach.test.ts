import { describe, expect, it } from 'vitest';
import { appliance } from './testing/appliance.ts';
import { jobFor, loginTo, PASSWORD, testSsh } from './testing/run-ssh.ts';

describe('K-61 where it may go', () => {
  it('keeps to the rules of http: no metadata service, none of Forge’s own ports, this computer only for a person', async () => {
    const { port, connections } = await appliance({ password: PASSWORD });
    const { fail } = await testSsh({ ownPorts: () => [port] });
    const refused = async (parts: Parameters<typeof loginTo>[1]) =>
      (await fail(jobFor(port, { target: loginTo(port, parts), timeoutMs: 2000 }))).code;
    expect(await refused({})).toBe('address_refused');
    expect(await refused({ host: 'localhost' })).toBe('address_refused');
    expect(await refused({ host: '2130706433' })).toBe('address_refused');
    expect(await refused({ host: '169.254.169.254' })).toBe('address_refused');
    expect(await refused({ host: '::ffff:127.0.0.1' })).toBe('address_refused');
    const other = await testSsh();
    expect(await other.fail(jobFor(port, { target: loginTo(port, { hostFrom: 'manifest' }) }))).toMatchObject({
      code: 'address_refused',
    });
    expect(connections()).toBe(0);
  });

  it('checks the address a name resolved to, not the name', async () => {
    const { port, connections } = await appliance({ password: PASSWORD });
    const lookup = (
      _name: string,
      _options: { all: true },
      done: (error: null, list: { address: string; family: number }[]) => void,
    ) => done(null, [{ address: '169.254.169.254', family: 4 }]);
    const { fail } = await testSsh({ lookup });
    expect(await fail(jobFor(port, { target: loginTo(port, { host: 'nas.test' }) }))).toMatchObject({
      code: 'address_refused',
    });
    expect(connections()).toBe(0);
  });
});
