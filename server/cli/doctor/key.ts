import { FORGE } from '../../../shared/forge-command.ts';
import { chooseKeyStore } from '../../secrets/choose-key-store.ts';
import { readKeyRecord } from '../../secrets/key-record.ts';
import { osKeychain } from '../../secrets/os-keychain.ts';
import { failed, type Check, type Patient } from './check.ts';
import { lookInto } from './database.ts';

/** Whether the key that sealed the secrets is there. Looks only; it never makes one. */
export async function checkKey(patient: Patient): Promise<Check> {
  const name = 'key';
  const { config, paths } = patient;
  try {
    const record = await lookInto(patient, readKeyRecord);
    const store = await chooseKeyStore({
      encryptionKey: config.encryptionKey,
      recorded: record?.store ?? null,
      preference: config.keyStore,
      dataDir: paths,
      keychain: osKeychain(),
    });
    const keyring = await store.read();
    const needed = record?.keyId ?? null;
    if (needed !== null && keyring?.keys.has(needed) !== true) {
      return {
        name,
        status: 'fail',
        message: `secrets cannot be read: the key they were sealed with (${needed}) is not in ${store.describe()}`,
        fix: `Put the key back, for example from a backup; \`${FORGE} secrets status\` shows more.`,
      };
    }
    if (keyring === null)
      return { name, status: 'ok', message: `no key yet; the first secret makes one in ${store.describe()}` };
    return { name, status: 'ok', message: store.describe() };
  } catch (error) {
    return failed(name, error);
  }
}
