import { ConnectorSecrets } from './connector-secrets.ts';
import { GuessableSecrets } from './guessable-secrets.ts';
import { createMasker, type Masker } from './masker.ts';
import { SecretSet } from './secret-set.ts';
import { isGuessable } from './secret-strength.ts';

export interface Maskers {
  /** Forge's own secrets alone: for answers that belong to no connector. */
  readonly forge: Masker;
  /** All saved secrets that nobody can guess: for the person's own conversations and tasks. */
  readonly person: Masker;
  /** All saved secrets: for Forge's log, which no caller reads. */
  readonly log: Masker;
  /** The secrets of one connector, by the id of its package. */
  connector(id: string): ConnectorSecrets;
  /** A saved secret of a connector, or of Forge itself, whose own settings have ids that no connector can have. */
  learn: (id: string, secret: string) => void;
  /** Forge's own: its token, keys of models. */
  learnOwn: (secret: string) => void;
  /** One that a caller has brought along; only the log has to know it. */
  learnBorrowed: (secret: string) => void;
}

interface MaskersOptions {
  now?: () => number;
  /** Told when callers of a connector send more words that look like one of its secrets than anybody needs. */
  onGuessing?: (connectorId: string) => void;
}

const MAX_BORROWED = 64;
const CONNECTOR_ID = /^[a-z0-9]/;

/**
 * Every secret that Forge knows, each with the texts that it is masked in. A secret of a connector is masked in what its own calls
 * produce: looked for everywhere else, it would be found by whoever tries enough words, and a service could hide texts of others.
 */
export function createMaskers({ now = Date.now, onGuessing = () => undefined }: MaskersOptions = {}): Maskers {
  const own = new SecretSet();
  const saved = new SecretSet();
  const guessable = new GuessableSecrets();
  const borrowed = new SecretSet({ max: MAX_BORROWED });
  const connectors = new Map<string, ConnectorSecrets>();

  const connector = (id: string): ConnectorSecrets => {
    let found = connectors.get(id);
    if (found === undefined) {
      found = new ConnectorSecrets({ own: [...own.secrets()], now, onGuessing: () => onGuessing(id) });
      connectors.set(id, found);
    }
    return found;
  };
  const learnOwn = (secret: string): void => {
    // A key like `ollama` is a word, and a mask over every such word would only tell it.
    if (isGuessable(secret)) {
      guessable.add(secret);
      return;
    }
    own.add(secret);
    for (const known of connectors.values()) known.addOwn(secret);
  };

  return {
    forge: createMasker([own]),
    person: createMasker([own, saved]),
    log: createMasker([own, saved, guessable, borrowed]),
    connector,
    learn: (id, secret) => {
      if (!CONNECTOR_ID.test(id)) {
        learnOwn(secret);
        return;
      }
      if (isGuessable(secret)) guessable.add(secret);
      else saved.add(secret);
      connector(id).add(secret);
    },
    learnOwn,
    learnBorrowed: (secret) => {
      if (!isGuessable(secret)) borrowed.add(secret);
    },
  };
}
