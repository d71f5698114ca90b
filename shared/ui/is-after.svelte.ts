/** True once something has gone on for a while; what ends sooner needs no button to stop it. */
export function isAfter(ms: number, isGoingOn: () => boolean): { readonly current: boolean } {
  let isLong = $state(false);
  $effect(() => {
    if (!isGoingOn()) return;
    const timer = setTimeout(() => (isLong = true), ms);
    return () => {
      clearTimeout(timer);
      isLong = false;
    };
  });
  return {
    get current() {
      return isLong;
    },
  };
}
