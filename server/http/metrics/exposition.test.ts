import { describe, expect, it } from 'vitest';
import { gauge, sample, writeFamilies, writeNumber } from './exposition.ts';

describe('the text that Prometheus reads', () => {
  it('has help, type and samples of each metric, and ends with a line break', () => {
    const requests = {
      name: 'requests_total',
      help: 'Requests.',
      type: 'counter' as const,
      samples: [sample(3, { method: 'GET', status: '200' }), sample(1, { method: 'PUT', status: '404' })],
    };
    expect(writeFamilies([requests, gauge('memory_bytes', 'Memory.', 1.5)])).toBe(`# HELP requests_total Requests.
# TYPE requests_total counter
requests_total{method="GET",status="200"} 3
requests_total{method="PUT",status="404"} 1

# HELP memory_bytes Memory.
# TYPE memory_bytes gauge
memory_bytes 1.5
`);
  });

  it('names a metric that has no sample yet', () => {
    expect(writeFamilies([{ name: 'empty', help: 'None.', type: 'gauge', samples: [] }])).toBe(
      '# HELP empty None.\n# TYPE empty gauge\n',
    );
  });

  it.each([
    ['a quote', 'a"b', 'a\\"b'],
    ['a backslash', 'a\\b', 'a\\\\b'],
    ['a line break', 'a\nb', 'a\\nb'],
    ['a backslash before an n', 'a\\nb', 'a\\\\nb'],
    ['an attempt at a label and a sample of its own', '",x="\n"} 1\nfake 1', '\\",x=\\"\\n\\"} 1\\nfake 1'],
    ['letters of any script', 'ä→🜁', 'ä→🜁'],
  ])('keeps a label value with %s in its quotes', (_what, value, written) => {
    const text = writeFamilies([{ name: 'm', help: 'h', type: 'gauge', samples: [sample(1, { l: value })] }]);
    expect(text).toBe(`# HELP m h\n# TYPE m gauge\nm{l="${written}"} 1\n`);
  });

  it('keeps help on one line, where quotes mean nothing', () => {
    expect(writeFamilies([gauge('m', 'a "b"\\n\nfake 1', 0)])).toBe(
      '# HELP m a "b"\\\\n\\nfake 1\n# TYPE m gauge\nm 0\n',
    );
  });

  it.each([
    [0, '0'],
    [0.001, '0.001'],
    [1e21, '1e+21'],
    [5e-7, '5e-7'],
    [Infinity, '+Inf'],
    [-Infinity, '-Inf'],
    [NaN, 'NaN'],
  ])('writes %d as %s', (value, written) => {
    expect(writeNumber(value)).toBe(written);
  });
});
