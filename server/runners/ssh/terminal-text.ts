import { StringDecoder } from 'node:string_decoder';

const ESC = '\u001b';
/** An escape sequence that has not ended by then is none. */
const MAX_SEQUENCE = 4096;

// CSI; OSC, DCS, SOS, PM and APC up to BEL or ST, but never past the line they begin in; escapes of two and three characters.
const SEQUENCE =
  /\u001b\[[0-?]*[ -/]*[@-~]|\u001b[\]PX^_][^\u0007\u001b\r\n]*(?:\u0007|\u001b\\)|\u001b[ -/][0-~]|\u001b[0-OQ-WYZ\\`-~]/g;
/** The beginning of one of them at the end of a text. */
const UNFINISHED = /\u001b(?:\[[0-?]*[ -/]*|[\]PX^_][^\u0007\u001b\r\n]*\u001b?|[ -/])?$/;
const NOISE = /[\u0000-\u0007\u000b-\u001f\u007f-\u009f]/g;

/** Makes plain text of what a terminal is sent: no control sequences, one kind of line end, no binary noise. */
export class TerminalText {
  readonly #decoder = new StringDecoder('utf8');
  #held = '';

  /** What can be said about the text so far; what may be the beginning of a sequence waits for the next bytes. */
  push(bytes: Buffer): string {
    const text = this.#held + this.#decoder.write(bytes);
    const cut = finishedChars(text);
    this.#held = text.slice(cut);
    return clean(text.slice(0, cut));
  }

  /** What was held back last. */
  end(): string {
    const rest = this.#held + this.#decoder.end();
    this.#held = '';
    return clean(rest);
  }
}

/** A line may still end in the next bytes, so a last carriage return waits for them too. */
function finishedChars(text: string): number {
  const unfinished = UNFINISHED.exec(text.slice(-MAX_SEQUENCE));
  if (unfinished !== null) return text.length - unfinished[0].length;
  let end = text.length;
  while (end > 0 && text[end - 1] === '\r') end -= 1;
  return end;
}

function clean(text: string): string {
  const bare = text.includes(ESC) ? text.replaceAll(SEQUENCE, '') : text;
  return withoutBackspaces(bare.replaceAll(/\r+\n?/g, '\n'))
    .replaceAll(NOISE, '')
    .replaceAll(/\ufffd{2,}/g, '\ufffd');
}

/** A backspace takes the character before it away, as far as that has not been handed on yet. */
function withoutBackspaces(text: string): string {
  if (!text.includes('\b')) return text;
  const kept: string[] = [];
  for (const char of text) {
    if (char !== '\b') kept.push(char);
    else if (kept.length > 0 && kept.at(-1) !== '\n') kept.pop();
  }
  return kept.join('');
}
