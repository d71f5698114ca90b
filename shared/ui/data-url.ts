/** The bytes as base64. */
export async function base64Of(blob: Blob): Promise<string> {
  const bytes = new Uint8Array(await blob.arrayBuffer());
  let text = '';
  // In parts: a call takes only so many arguments.
  for (let at = 0; at < bytes.length; at += 0x8000) text += String.fromCharCode(...bytes.subarray(at, at + 0x8000));
  return btoa(text);
}

/** An address that an <img> can show without asking for it again. */
export async function dataUrlOf(blob: Blob): Promise<string> {
  return `data:${blob.type};base64,${await base64Of(blob)}`;
}
