import ssh2 from 'ssh2';

interface Passphrase {
  passphrase: string;
  cipher: string;
  rounds: number;
}

/** ssh2 drops a public key's leading zero bytes, so one Ed25519 key of 256 cannot be read again: such a key is drawn anew. */
export function newKey(lock?: Passphrase): { private: string; public: string } {
  for (;;) {
    const key = lock ? ssh2.utils.generateKeyPairSync('ed25519', lock) : ssh2.utils.generateKeyPairSync('ed25519');
    if (!(ssh2.utils.parseKey(key.private, lock?.passphrase) instanceof Error)) return key;
  }
}
