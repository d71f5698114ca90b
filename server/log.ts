import pino, { type Logger } from 'pino';
import type { Config } from './config.ts';

export type Log = Pick<Logger, 'error' | 'warn' | 'info' | 'debug'>;

interface LogOptions {
  level: Config['logLevel'];
  /** Last thing before the line is written: whatever secret got into it comes out as `[secret]`. */
  redact: (line: string) => string;
  write?: (line: string) => void;
}

/** Structured lines on standard error, one JSON object each. */
export function createLog({ level, redact, write = (line) => process.stderr.write(line) }: LogOptions): Log {
  return pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      serializers: { error: pino.stdSerializers.errWithCause },
    },
    { write: (line: string) => write(redact(line)) },
  );
}
