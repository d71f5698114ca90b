/**
 * Keeps what was made from settings, by the settings and what it was made for. Saving makes new settings and an edit makes new tools, so
 * nothing here goes stale.
 */
export function createKept<Value>() {
  const kept = new WeakMap<object, WeakMap<object, Value>>();
  return (settings: object, key: object, make: () => Value): Value => {
    let known = kept.get(settings);
    if (known === undefined) {
      known = new WeakMap();
      kept.set(settings, known);
    }
    let found = known.get(key);
    if (found === undefined) {
      found = make();
      known.set(key, found);
    }
    return found;
  };
}
