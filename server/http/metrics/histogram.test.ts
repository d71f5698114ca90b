import { expect, it } from 'vitest';
import { writeFamilies } from './exposition.ts';
import { Histogram } from './histogram.ts';

function text(histogram: Histogram): string[] {
  const samples = histogram.samples({ route: '/a' });
  return writeFamilies([{ name: 'h', help: 'H.', type: 'histogram', samples }])
    .trimEnd()
    .split('\n')
    .slice(2);
}

it('counts a value in its own bucket and in all above it; a bound belongs to the bucket it ends', () => {
  const histogram = new Histogram([0.5, 2]);
  for (const value of [0, 0.5, 0.75, 2, 2.25, 64]) histogram.observe(value);
  expect(text(histogram)).toEqual([
    'h_bucket{route="/a",le="0.5"} 2',
    'h_bucket{route="/a",le="2"} 4',
    'h_bucket{route="/a",le="+Inf"} 6',
    'h_sum{route="/a"} 69.5',
    'h_count{route="/a"} 6',
  ]);
});

it('has every bucket before there is a value', () => {
  expect(text(new Histogram([1]))).toEqual([
    'h_bucket{route="/a",le="1"} 0',
    'h_bucket{route="/a",le="+Inf"} 0',
    'h_sum{route="/a"} 0',
    'h_count{route="/a"} 0',
  ]);
});
