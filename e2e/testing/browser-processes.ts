import { execFileSync } from 'node:child_process';

interface Process {
  pid: number;
  parent: number;
  command: string;
}

/** The processes of the browser that uses a profile; the first is the browser itself. */
export function browserProcesses(profile: string): Process[] {
  const all = execFileSync('ps', ['-eo', 'pid=,ppid=,args='], { encoding: 'utf8', maxBuffer: 16 * 1024 * 1024 })
    .split('\n')
    .map((line) => /^\s*(\d+)\s+(\d+)\s+(.*)$/.exec(line))
    .filter((match) => match !== null)
    .map(([, pid, parent, command]) => ({ pid: Number(pid), parent: Number(parent), command: command ?? '' }));
  const root = all.find(
    ({ command }) => command.includes(`--user-data-dir=${profile}`) && !command.includes('--type='),
  );
  if (root === undefined) throw new Error('no browser uses this profile');
  const found = [root];
  for (const process of found) found.push(...all.filter(({ parent }) => parent === process.pid));
  return found;
}

/** As when the lid is closed; what is returned opens it again. */
export function freeze(pids: readonly number[]): () => void {
  for (const pid of pids) process.kill(pid, 'SIGSTOP');
  return () => {
    for (const pid of pids.toReversed()) process.kill(pid, 'SIGCONT');
  };
}
