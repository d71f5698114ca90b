import { describe, expect, it } from 'vitest';
import { createActivity } from './activity.ts';
import { manualClock } from './testing/manual-clock.ts';

function setUp() {
  const clock = manualClock();
  const shown: string[] = [];
  const show = ({ text, title }: { text: string; title: string }) => shown.push(`${text}|${title}`);
  return { clock, shown, activity: createActivity({ clock, show, onChange: () => undefined }) };
}

describe('the toolbar button', () => {
  it('is left alone by short calls', async () => {
    const { clock, shown, activity } = setUp();
    activity.begin('1', 'List issues');
    await clock.advance(249);
    activity.end('1');
    await clock.advance(1000);
    expect(shown).toEqual([]);
  });

  it('says what is at work, and stops saying so', async () => {
    const { clock, shown, activity } = setUp();
    activity.begin('1', 'List issues');
    activity.begin('2', 'Add a comment');
    await clock.advance(250);
    activity.end('1');
    activity.end('2');
    expect(shown).toEqual(['2|Forge is at work: List issues and 1 more', '|Forge']);
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
    expect(shown.map((line) => line.split('|')[0])).toEqual(['!', 'II', '!', '1', '!', '']);
  });
});
