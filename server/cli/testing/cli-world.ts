import { EventEmitter } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { PassThrough, Readable, Writable } from 'node:stream';
import { onTestFinished } from 'vitest';
import { readConfig } from '../../config.ts';
import { startForge, type Forge } from '../../main.ts';
import { tempFolder } from '../../testing/forge.ts';
import type { Input, Io } from '../io.ts';
import { runCli } from '../run.ts';

interface RunOptions {
  stdin?: string;
  env?: Record<string, string>;
  /** Makes both ends terminals. Each answer is typed when its question appears. */
  answers?: readonly (readonly [question: string, keys: string | (() => Promise<string>)])[];
  /** Where the command hears of Ctrl-C. */
  signals?: EventEmitter;
  /** Called for everything printed on standard output, with the signals to send. */
  onOutput?: (all: string, signals: EventEmitter) => void;
  /** The same for standard error. */
  onError?: (all: string) => void;
  parent?: Io['parent'];
  prepareExtension?: Io['prepareExtension'];
}

interface Outcome {
  code: number;
  stdout: string;
  stderr: string;
  /** Codes that `exit` was called with. */
  exits: number[];
}

/** A data dir, a registry and a way to run `forge` on them. */
export function cliWorld(extra: Record<string, string> = {}) {
  const root = tempFolder();
  const registry = path.join(root, 'registry');
  const env: Record<string, string> = {
    FORGE_DATA_DIR: path.join(root, 'data'),
    FORGE_KEY_STORE: 'file',
    FORGE_PORT: '0',
    FORGE_REGISTRY: registry,
    ...extra,
  };
  const dataDir = env['FORGE_DATA_DIR'] ?? '';
  offer(registry, []);
  return {
    root,
    registry,
    dataDir,
    env,
    run: (argv: string, options: RunOptions = {}) => runForge(argv.split(' '), env, options),
    /** For arguments with spaces in them. */
    runArgs: (argv: readonly string[], options: RunOptions = {}) => runForge(argv, env, options),
    /** A server that announces itself, as `forge start` does. */
    async startServer(): Promise<Forge> {
      const forge = await startForge(readConfig({ ...env, FORGE_LOG: 'silent' }), { announce: true });
      onTestFinished(() => forge.close());
      return forge;
    },
    /** Writes a file below the world's folder and returns its path. */
    write: (name: string, content: string | Uint8Array): string => {
      const file = path.join(root, name);
      mkdirSync(path.dirname(file), { recursive: true });
      writeFileSync(file, content);
      return file;
    },
    /** Fills the registry. */
    offer: (...manifests: string[]) => offer(registry, manifests),
  };
}

function offer(registry: string, manifests: readonly string[]): void {
  const connectors = manifests.map((yaml) => {
    const field = (name: string) => new RegExp(`^${name}: "?([^"\\n]*)"?$`, 'm').exec(yaml)?.[1] ?? '';
    mkdirSync(path.join(registry, field('id')), { recursive: true });
    writeFileSync(path.join(registry, field('id'), 'manifest.yaml'), yaml);
    return { id: field('id'), name: field('name'), version: field('version'), description: field('description') };
  });
  mkdirSync(registry, { recursive: true });
  writeFileSync(path.join(registry, 'registry.json'), JSON.stringify({ version: 1, connectors }));
}

async function runForge(argv: readonly string[], env: Record<string, string>, options: RunOptions): Promise<Outcome> {
  const { signals = new EventEmitter() } = options;
  const isTerminal = options.answers !== undefined;
  const stdin: Input = isTerminal
    ? terminalInput()
    : Readable.from(options.stdin === undefined ? [] : [Buffer.from(options.stdin)]);
  const waiting = [...(options.answers ?? [])];
  const stdout = collector(isTerminal, (all) => {
    const [next] = waiting;
    if (next !== undefined && all.includes(next[0])) {
      waiting.shift();
      void type(stdin, next[1]);
    }
    options.onOutput?.(all, signals);
  });
  const stderr = collector(isTerminal, options.onError);
  const exits: number[] = [];
  const io: Io = {
    stdin,
    stdout: stdout.stream,
    stderr: stderr.stream,
    env: { ...env, ...options.env },
    signals,
    exit: (code) => void exits.push(code),
    ...(options.parent === undefined ? {} : { parent: options.parent }),
    ...(options.prepareExtension === undefined ? {} : { prepareExtension: options.prepareExtension }),
  };
  const code = await runCli(argv, io);
  return { code, stdout: stdout.text(), stderr: stderr.text(), exits };
}

/** A moment later, as a person would: the question is still being drawn. */
async function type(stdin: Input, keys: string | (() => Promise<string>)): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
  (stdin as unknown as PassThrough).write(typeof keys === 'string' ? keys : await keys()); // a terminal's input is one
}

function terminalInput(): Input {
  return Object.assign(new PassThrough(), { isTTY: true, setRawMode: () => undefined });
}

function collector(isTTY: boolean, onText: (all: string) => void = () => undefined) {
  let all = '';
  const stream = new Writable({
    decodeStrings: false,
    write(chunk: string | Buffer, _encoding, done) {
      all += chunk.toString();
      onText(all);
      done();
    },
  });
  return { stream: Object.assign(stream, { isTTY, columns: 100 }), text: () => all };
}
