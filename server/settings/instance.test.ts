import { describe, expect, it } from 'vitest';
import { ForgeError } from '../../shared/errors.ts';
import { Secret } from '../../shared/secret.ts';
import { overlayInstance } from './instance.ts';

describe('C-92 C-93 K-09 choosing an instance', () => {
  const resolved = {
    region: 'eu',
    base_url: 'top',
    instances: [
      { name: 'prod', base_url: 'p' },
      { name: 'stage', base_url: 's' },
    ],
  };

  it('lays the named row over the settings', () => {
    expect(overlayInstance(resolved, 'stage')).toEqual({ region: 'eu', name: 'stage', base_url: 's' });
  });

  it('C-93 takes the first row when none is named', () => {
    expect(overlayInstance(resolved, undefined)).toEqual({ region: 'eu', name: 'prod', base_url: 'p' });
  });

  it('C-94 lets a row bring rows of its own', () => {
    const own = { instances: [{ name: 'a', inject_params: [{ name: 'P', value: 'v' }] }] };
    expect(overlayInstance(own, 'a')['inject_params']).toEqual([{ name: 'P', value: 'v' }]);
  });

  it.each([null, undefined, '', new Secret(''), []])(
    'K-09 falls back to the top level where the row has %j',
    (empty) => {
      const top = [{ name: 'P', value: 'top' }];
      expect(overlayInstance({ inject_params: top, instances: [{ name: 'a', inject_params: empty }] }, 'a')).toEqual({
        name: 'a',
        inject_params: top,
      });
    },
  );

  it.each([0, false, {}])('K-09 takes %j for a value', (value) => {
    expect(overlayInstance({ x: 'top', instances: [{ name: 'a', x: value }] }, 'a')['x']).toEqual(value);
  });

  it.each(['nope', '', 'PROD', '__proto__'])('K-09 refuses %j and lists the rows there are', (name) => {
    expect(() => overlayInstance(resolved, name)).toThrow(/there are prod, stage/);
  });

  it('says so when there is no row at all', () => {
    expect(() => overlayInstance({ instances: [] }, undefined)).toThrow(ForgeError);
  });
});
