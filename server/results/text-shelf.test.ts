import { describe, expect, it } from 'vitest';
import { TextShelf, type ShelfPlace } from './text-shelf.ts';

const MB = 1024 * 1024;

describe('texts on a shelf', () => {
  it('come back as they were, whatever is in them', () => {
    const shelf = new TextShelf();
    const texts = ['', 'plain', 'ünïcode \u{1f600}', '\0', 'x'.repeat(3 * MB), 'é'.repeat(MB / 2), 'last'];
    const places = texts.map((text) => shelf.put(text));
    expect(places.map((place) => shelf.read(place))).toEqual(texts);
  });

  it('stay whole while others come and go in order, and the memory of those that went is used again', () => {
    const shelf = new TextShelf();
    const kept: { place: ShelfPlace; text: string }[] = [];
    const chunks = new Set<unknown>();
    for (let n = 0; n < 500; n += 1) {
      const text = String(n).padEnd(20_000 + (n % 7) * 1000, '.');
      const place = shelf.put(text);
      kept.push({ place, text });
      chunks.add(place.chunk);
      if (kept.length > 200) shelf.remove(kept.shift()!.place);
    }
    for (const { place, text } of kept) expect(shelf.read(place)).toBe(text);
    // Two hundred of them need five pieces; some more stand at the edges.
    expect(chunks.size).toBeLessThanOrEqual(8);
  });

  it('out of order: what is still there is never written over', () => {
    const shelf = new TextShelf();
    const first = shelf.put('first');
    for (let n = 0; n < 300; n += 1) shelf.remove(shelf.put('x'.repeat(20_000)));
    expect(shelf.read(first)).toBe('first');
  });
});
