interface Kind {
  browser: string;
  profile: string;
  platform: string;
  origin: string;
}

/** `Chrome 138, Work, Linux`: what tells one browser from another. */
export function kindWords({ browser, profile, platform }: Pick<Kind, 'browser' | 'profile' | 'platform'>): string {
  return [browser, profile, platform].filter((part) => part !== '').join(', ');
}

/** Where a browser has its switch for user scripts. Pages may not link there, so it is an address to type. */
export function scriptsPlace({ browser, origin }: Pick<Kind, 'browser' | 'origin'>): { address: string; step: string } {
  if (/firefox/i.test(browser))
    return { address: 'about:addons', step: 'open Forge, then Permissions, and allow unverified third-party scripts' };
  const id = /^chrome-extension:\/\/([a-p]{32})$/.exec(origin)?.[1];
  return {
    address: id === undefined ? 'chrome://extensions' : `chrome://extensions/?id=${id}`,
    step: 'switch on “Allow user scripts”',
  };
}
