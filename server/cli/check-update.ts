import { ForgeError } from '../../shared/errors.ts';
import { isRecord } from '../../shared/json.ts';
import { compareVersions, parseVersion } from '../../shared/manifest/semver.ts';
import { parseUrl } from '../../shared/parse-url.ts';

const TIMEOUT_MS = 10_000;
/** A registry's answer lists every version there is. */
const MAX_BYTES = 20_000_000;

export interface UpdateAnswer {
  latest: string;
  isNewer: boolean;
}

/** Asks a registry that answers as npm's does for the latest version of a package. */
export async function checkUpdate(registry: string, name: string, current: string): Promise<UpdateAnswer> {
  const url = packageUrl(registry, name);
  const latest = latestIn(await read(url), url);
  return { latest, isNewer: compareVersions(latest, current) > 0 };
}

function packageUrl(registry: string, name: string): string {
  const base = parseUrl(registry);
  if (base === null || !/^https?:$/.test(base.protocol)) {
    throw new ForgeError(
      'invalid_config',
      `${JSON.stringify(registry.slice(0, 60))} is not the address of a registry`,
      {
        hint: 'Give an http(s) address with --registry or in FORGE_UPDATE_URL.',
      },
    );
  }
  return `${base.href.replace(/\/+$/, '')}/${encodeURIComponent(name)}`;
}

async function read(url: string): Promise<unknown> {
  let response: Response;
  let text = '';
  try {
    response = await fetch(url, {
      headers: { Accept: 'application/vnd.npm.install-v1+json, application/json;q=0.8' },
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    const decoder = new TextDecoder();
    // Node's own fetch, whose bodies are bytes.
    for await (const chunk of (response.body ?? []) as AsyncIterable<Uint8Array>) {
      text += decoder.decode(chunk, { stream: true });
      if (text.length > MAX_BYTES) throw new Error(`the answer is longer than ${MAX_BYTES} bytes`);
    }
  } catch (cause) {
    const why = cause instanceof Error ? (cause.cause instanceof Error ? cause.cause.message : cause.message) : '';
    throw new ForgeError('upstream_unreachable', `the registry at ${url} cannot be read: ${why}`, {
      hint: 'Check the address and the network, then try again.',
      cause,
    });
  }
  if (response.status !== 200) throw badAnswer(url, `HTTP ${response.status}`);
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw badAnswer(url, 'no JSON', cause);
  }
}

function latestIn(answer: unknown, url: string): string {
  const tags = isRecord(answer) ? answer['dist-tags'] : null;
  const latest = isRecord(tags) ? tags['latest'] : null;
  if (typeof latest !== 'string' || parseVersion(latest) === null) throw badAnswer(url, 'no latest version');
  return latest;
}

function badAnswer(url: string, what: string, cause?: unknown): ForgeError {
  return new ForgeError('upstream_error', `the registry at ${url} answered with ${what}`, {
    hint: 'Check that the address is that of a registry that has Forge.',
    cause,
  });
}
