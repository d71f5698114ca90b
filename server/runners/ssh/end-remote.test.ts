import { describe, expect, it } from 'vitest';
import { remoteSignals } from './end-remote.ts';

describe('remoteSignals', () => {
  it.each([
    ['OpenSSH_9.2p1', 'ana', 'honoured'],
    ['OpenSSH_9.2p1', 'root', 'ignored'],
    ['OpenSSH_9.7', 'root', 'ignored'],
    ['OpenSSH_9.8p1', 'root', 'honoured'],
    ['OpenSSH_10.0p2', 'root', 'honoured'],
    ['OpenSSH_7.9', 'ana', 'honoured'],
    ['OpenSSH_7.10', 'ana', 'honoured'],
    ['OpenSSH_7.4', 'ana', 'ignored'],
    ['dropbear_2022.83', 'root', 'honoured'],
    ['Cisco-1.25', 'admin', 'unknown'],
    ['', 'admin', 'unknown'],
  ])('S12 of %s for %s are %s', (software, username, expected) => {
    expect(remoteSignals(software, username)).toBe(expected);
  });
});
