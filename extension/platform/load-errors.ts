/** Firefox tells by number why a page did not load, in decimal; these are the ones a person meets. */
const FIREFOX_ERRORS: Readonly<Record<number, string>> = {
  0x804b0002: 'net::ERR_ABORTED',
  0x804b000d: 'net::ERR_CONNECTION_REFUSED',
  0x804b000e: 'net::ERR_TIMED_OUT',
  0x804b0010: 'net::ERR_INTERNET_DISCONNECTED',
  0x804b0014: 'net::ERR_CONNECTION_RESET',
  0x804b001e: 'net::ERR_NAME_NOT_RESOLVED',
  0x804b0047: 'net::ERR_CONNECTION_CLOSED',
};

/** The same name for the same error in every browser; what is unknown stays as the browser says it. */
export function loadErrorName(said: string): string {
  const code = /^Error code (\d+)$/.exec(said)?.[1];
  return FIREFOX_ERRORS[Number(code)] ?? said;
}
