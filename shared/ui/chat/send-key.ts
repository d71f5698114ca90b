/** Enter sends; with Shift it is a new line, and while a word is put together from several keys it belongs to that word. */
export function isSendKey(event: Pick<KeyboardEvent, 'key' | 'shiftKey' | 'isComposing' | 'repeat'>): boolean {
  return event.key === 'Enter' && !event.shiftKey && !event.isComposing && !event.repeat;
}
