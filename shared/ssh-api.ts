import { Type } from '@sinclair/typebox';

const Text = Type.String();

export const KnownHostsAnswer = Type.Object({
  hosts: Type.Array(
    Type.Object({
      host: Text,
      port: Type.Integer(),
      via: Type.String({ description: 'The jump host it was reached through; empty for a direct connection.' }),
      key_type: Text,
      fingerprint: Type.String({ description: 'As OpenSSH prints it: SHA256:…' }),
      added_at: Type.String({ format: 'date-time' }),
    }),
  ),
});
export const ForgottenAnswer = Type.Object({ forgotten: Type.Integer() });
