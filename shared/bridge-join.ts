// Several frames in one message. What a message costs on its way through the browser's processes does not depend on what is in it.

/** What would be larger together goes apart: it would only keep others waiting. */
const MAX_JOINED_CHARS = 256 * 1024;

/** Frames that wait to go out together. */
export class HeldFrames {
  #frames: string[] = [];
  #chars = 0;

  get count(): number {
    return this.#frames.length;
  }

  hasRoomFor(frame: string): boolean {
    return this.#chars + frame.length <= MAX_JOINED_CHARS;
  }

  hold(frame: string): void {
    this.#frames.push(frame);
    this.#chars += frame.length;
  }

  /** All of them, in order; none is held afterwards. */
  take(): string[] {
    const frames = this.#frames;
    this.#frames = [];
    this.#chars = 0;
    return frames;
  }
}

/** A list of lengths in a line of its own, and behind it the frames as they are; one alone needs no list. */
export function joinFrames(frames: readonly string[]): string {
  const [first = ''] = frames;
  return frames.length === 1 ? first : `[${frames.map(({ length }) => length).join(',')}]\n${frames.join('')}`;
}

/** The frames of a message; null when its list does not fit what follows. A frame itself never begins with a bracket. */
export function splitFrames(text: string): string[] | null {
  if (!text.startsWith('[')) return [text];
  const end = text.indexOf('\n');
  const list = end === -1 ? '' : text.slice(1, end - 1);
  if (text[end - 1] !== ']' || !/^[1-9]\d{0,8}(,[1-9]\d{0,8})+$/.test(list)) return null;
  const frames: string[] = [];
  let at = end + 1;
  for (const length of list.split(',')) {
    frames.push(text.slice(at, at + Number(length)));
    at += Number(length);
  }
  return at === text.length ? frames : null;
}
