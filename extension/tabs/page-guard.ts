import { isOwnPattern, isOwnUrl, ownPageOrigins, ownPageRefused } from '../../shared/own-origins.ts';

/** A frame of a tab as the browser lists it. The page itself is frame 0. */
export interface FrameInfo {
  readonly frameId: number;
  readonly parentFrameId: number;
  readonly url: string;
  readonly documentId: string | null;
}

export type PageGuard = ReturnType<typeof createPageGuard>;

/** Keeps everything that reads pages or runs in them away from Forge's own. `ports` are Forge's, as far as they are known. */
export function createPageGuard(ports: () => readonly number[]) {
  const isOwnPage = (url: string): boolean => isOwnUrl(url, ports());
  /** An empty page belongs to whoever opened it, and that may have been Forge. */
  const isOut = (url: string): boolean => isOwnPage(url) || url.startsWith('about:');
  const isFrameOut = (frame: FrameInfo, frames: readonly FrameInfo[]): boolean => {
    if (isOwnPage(frame.url)) return true;
    const parent = frames.find(({ frameId }) => frameId === frame.parentFrameId);
    return parent === undefined ? isOut(frame.url) : parent === frame || isFrameOut(parent, frames);
  };
  return {
    isOwnPage,
    isOwnPattern: (pattern: string): boolean => isOwnPattern(pattern, ports()),
    /** For code that looks for itself where it is. */
    ownOrigins: (): string[] => ownPageOrigins(ports()),
    /** For the page of a tab, by the address that its document was loaded from. */
    requireOpen(url: string): void {
      if (isOut(url)) throw ownPageRefused(url === '' ? 'The page' : url);
    },
    /** One frame, which may have no address of its own. Whatever is inside a page of Forge's is Forge's. */
    requireFrame(frames: readonly FrameInfo[], frameId: number): FrameInfo {
      const frame = frames.find((one) => one.frameId === frameId);
      if (frame === undefined) throw new Error(`No frame with id ${frameId}.`);
      if (isFrameOut(frame, frames)) throw ownPageRefused(frame.url);
      return frame;
    },
    openFrames: (frames: readonly FrameInfo[]): FrameInfo[] => frames.filter((frame) => !isFrameOut(frame, frames)),
  };
}
