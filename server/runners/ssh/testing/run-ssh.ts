import path from 'node:path';
import { onTestFinished } from 'vitest';
import { isForgeError, type ForgeError } from '../../../../shared/errors.ts';
import { openDatabase } from '../../../store/database.ts';
import { tempDir } from '../../../store/testing/temp-dir.ts';
import type { RunContext, SshJob, SshLogin } from '../../job.ts';
import type { SshResponse } from '../../response.ts';
import { createKnownHosts, type KnownHosts } from '../known-hosts.ts';
import { createSshRunner, type SshRunnerOptions } from '../ssh-runner.ts';

export const PASSWORD = 'correct horse 7';

export function loginTo(port: number, parts: Partial<SshLogin> = {}): SshLogin {
  return {
    host: '127.0.0.1',
    port,
    username: 'admin',
    password: PASSWORD,
    privateKey: null,
    passphrase: null,
    hostFrom: 'person',
    ...parts,
  };
}

export function jobFor(port: number, parts: Partial<SshJob> = {}): SshJob {
  return {
    protocol: 'ssh',
    target: loginTo(port),
    jump: null,
    commands: [],
    promptRegex: '# $',
    autoAnswer: [],
    doneWhen: null,
    failWhen: null,
    capture: {},
    successOnClose: false,
    timeoutMs: 30_000,
    ...parts,
  };
}

export interface TestSsh {
  knownHosts: KnownHosts;
  run: (job: SshJob, context?: Partial<RunContext>) => Promise<SshResponse>;
  /** The error a call ends with, before or after the login. */
  fail: (job: SshJob, context?: Partial<RunContext>) => Promise<ForgeError>;
}

/** A runner with a database of its own. */
export async function testSsh(options: Partial<SshRunnerOptions> = {}): Promise<TestSsh> {
  const db = await openDatabase(path.join(tempDir(), 'forge.db'));
  onTestFinished(() => db.close());
  const knownHosts = createKnownHosts(db);
  const runner = createSshRunner({
    knownHosts,
    ownPorts: () => [],
    quietMs: 10,
    endMs: 100,
    ...options,
  });
  const run = async (job: SshJob, context: Partial<RunContext> = {}): Promise<SshResponse> => {
    const response = await runner.run(job, { signal: new AbortController().signal, ...context });
    if (response.kind !== 'ssh') throw new Error('an ssh runner answers with an ssh response');
    return response;
  };
  return {
    knownHosts,
    run,
    async fail(job, context) {
      try {
        const { failure, output } = await run(job, context);
        if (failure !== null) return failure;
        throw new Error(`it went well: ${output}`);
      } catch (error) {
        if (isForgeError(error)) return error;
        throw error;
      }
    },
  };
}
