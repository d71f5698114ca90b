const MAX_REASON_BYTES = 120;

/** A reason as WebSocket allows it: longer ones are refused by whoever would send them. */
export function closeReason(text: string): string {
  const bytes = Buffer.from(text);
  return bytes.length <= MAX_REASON_BYTES ? text : bytes.subarray(0, MAX_REASON_BYTES - 3).toString('utf8');
}
