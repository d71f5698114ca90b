/** Ways in which programs try to outlive whoever started them; each makes the file $READY once all of it runs. */
export const STUBBORN: Readonly<Record<string, string>> = {
  plain: ': >"$READY"; exec sleep 1000',
  forks: 'sleep 1000 & sleep 1000 & : >"$READY"; wait',
  leaves_session: `setsid sh -c ': >"$READY"; exec sleep 1000' & exec sleep 1000`,
  uses_nohup: `nohup sh -c ': >"$READY"; exec sleep 1000' >/dev/null 2>&1 & exec sleep 1000`,
  forks_twice: `(setsid sh -c 'sleep 1000 & sleep 1000 & : >"$READY"' &); exec sleep 1000`,
  ignores_signals: `trap '' TERM HUP INT QUIT; setsid sh -c ': >"$READY"; exec sleep 1000' & while :; do sleep 1; done`,
  closes_streams: `exec 0<&- 1>&- 2>&-; setsid sh -c ': >"$READY"; exec sleep 1000' & exec sleep 1000`,
  keeps_forking: 'while :; do setsid sleep 2 & : >"$READY"; sleep 0.02; done',
};

/** A connector with one tool for each script; all that they start carries the marker. */
export function programsManifest(scripts: Readonly<Record<string, string>>, marker: string, ready: string): string {
  const tools = Object.entries(scripts).map(
    ([name, script]) => `  ${name}:
    protocol: shell
    description: Does not want to end.
    timeout_ms: 600000
    env: { FORGE_TEST: '${marker}', READY: '${ready}', FORGE_RUN: mine }
    command: [sh, -c, ${JSON.stringify(script)}]`,
  );
  return `id: programs\nname: Programs\nversion: "1.0.0"\ndescription: Programs that do not want to end.\ntools:\n${tools.join('\n')}\n`;
}
