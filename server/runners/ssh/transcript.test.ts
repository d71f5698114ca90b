import { expect, it } from 'vitest';
import { maskerOf } from '../../secrets/testing/masker-of.ts';
import { matchedFailure, notDoneFailure } from './failures.ts';
import { Transcript } from './transcript.ts';

const SECRET = 'q7Zk2Vw9Xr4Tn8Lm3Jp6Hs1Df5Gb0Cyu';

function transcriptOf(printed: string, maxKeptBytes = 100_000): Transcript {
  const transcript = new Transcript({ maxKeptBytes, maxBytes: 1_000_000 }, undefined, maskerOf(SECRET));
  transcript.add('stdout', Buffer.from(printed));
  transcript.endStreams();
  return transcript;
}

it('C-80 masks a secret whose beginning was dropped', () => {
  expect(transcriptOf(`first ${SECRET} last`, 20).text()).toBe('[secret] last');
  expect(transcriptOf(`first ${SECRET} last`).text()).toBe(`first ${SECRET} last`);
});

it('C-80 masks a secret that the quoted end would cut in two', () => {
  expect(transcriptOf(`${SECRET}${'.'.repeat(490)}`).last()).toBe(`. The last it printed: [secret]${'.'.repeat(490)}`);
});

it('C-80 masks a secret that the beginning of a line would cut in two', () => {
  const transcript = transcriptOf('');
  expect(matchedFailure('host', `${'.'.repeat(490)}${SECRET}.....`, transcript).message).toBe(
    `host reports a failure: ${'.'.repeat(490)}[secret]..…`,
  );
  expect(notDoneFailure(`${'.'.repeat(110)}${SECRET}.....`, transcript).message).toContain(
    `${'.'.repeat(110)}[secret]..…`,
  );
});
