/** A file that a call sends, as it was when the call was made: what a person is asked about is what goes out. */
export interface FileArgument {
  /** The parameter. */
  name: string;
  /** The real path, `res_…` or `forge://files/…`. */
  source: string;
  filename: string;
  contentType: string;
  size: number;
  /** Null in a dry run, which reads nothing. */
  content: { bytes: Uint8Array; sha256: string } | null;
  /** A path that no allowed folder holds: a person says yes to this very file. */
  asks: boolean;
  /** The connectors that an earlier result came from, none where that is no longer known; null for a file of the person's. */
  from: readonly string[] | null;
}

/** The files of a call by their parameters. */
export type FileArguments = ReadonlyMap<string, FileArgument>;

/** Characters that would let a name or a path end the line, read backwards or look like another one. */
const UNREADABLE = /[\p{Cc}\p{Cf}\u2028\u2029]/gu;

/** A file in a line, for a person and for the log. */
export function fileLine({ filename, contentType, size, source, content }: FileArgument): string {
  const hash = content === null ? '' : `, sha256 ${content.sha256}`;
  return `${filename} (${contentType}, ${size} bytes${hash}) from ${source}`.replaceAll(UNREADABLE, '?');
}

/** What a yes to a call is bound to besides its arguments. */
export function boundFiles(files: FileArguments): Record<string, unknown> {
  return Object.fromEntries(
    [...files.values()].map(({ name, source, content }) => [name, [source, content?.sha256 ?? null]]),
  );
}
