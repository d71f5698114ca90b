/** The package itself: large, and loaded when the first model is asked. */
export async function loadAi() {
  // What the package would print belongs to nobody: standard output may be somebody's protocol.
  globalThis.AI_SDK_LOG_WARNINGS = false;
  return import('ai');
}
