import { describe, expect, it } from 'vitest';
import { createActivity } from './activity.ts';
import { manualClock } from './testing/manual-clock.ts';

function setUp() {
  const clock = manualClock();
  const shown: string[] = [];
  const show = ({ text, title }: { text: string; title: string }) => shown.push(`${text}|${title}`);
  const activity = createActivity({ clock, show, onChange: () => undefined });
  // As at the start of every worker.
  activity.setPaused(false);
  return { clock, shown, activity };
}

describe('the toolbar button', () => {
  it('is told at the start what is true, whatever a worker that has died left there', () => {
    const { shown, activity } = setUp();
    expect(shown).toEqual(['|Forge']);
    activity.setPaused(false);
    expect(shown).toEqual(['|Forge']);
  });

  it('is left alone by short calls', async () => {
    const { clock, shown, activity } = setUp();
    activity.begin('1', 'List issues');
    await clock.advance(249);
    activity.end('1');
    await clock.advance(1000);
    expect(shown).toEqual(['|Forge']);
  });

  it('says what is at work, and stops saying so', async () => {
    const { clock, shown, activity } = setUp();
    activity.begin('1', 'List issues');
    activity.begin('2', 'Add a comment');
    await clock.advance(250);
    activity.end('1');
    activity.end('2');
    expect(shown.slice(1)).toEqual(['2|Forge is at work: List issues and 1 more', '|Forge']);
  });

  it('a pause comes first, then work, then what needs the person', async () => {
    const { clock, shown, activity } = setUp();
    activity.setNeeds('a site needs your permission');
    activity.setPaused(true);
    activity.setPaused(false);
    activity.begin('1', 'Work');
    await clock.advance(250);
    activity.end('1');
    activity.setNeeds(null);
    expect(shown.map((line) => line.split('|')[0])).toEqual(['', '!', 'II', '!', '1', '!', '']);
  });

  it('counts what waits for the person, before what is at work', async () => {
    const { clock, shown, activity } = setUp();
    activity.begin('1', 'List issues');
    await clock.advance(250);
    activity.setWaiting(2);
    activity.setWaiting(0);
    activity.end('1');
    const works = '1|Forge is at work: List issues';
    expect(shown).toEqual(['|Forge', works, '2|Forge: 2 calls wait for you', works, '|Forge']);
  });
});
