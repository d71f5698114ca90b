/** Characters that hide or turn around others are written out, so that a text means what it looks like. */
export function plainText(text: string): string {
  return text.replace(
    /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]|[\u{e0000}-\u{e0fff}]/gu,
    (character) => {
      const code = (character.codePointAt(0) ?? 0).toString(16);
      return code.length > 4 ? `\\u{${code}}` : `\\u${code.padStart(4, '0')}`;
    },
  );
}
