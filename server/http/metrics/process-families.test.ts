import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { tempFolder } from '../../testing/forge.ts';
import type { Family } from './exposition.ts';
import { procFamilies } from './proc-families.ts';
import { processFamilies } from './process-families.ts';

function valuesOf(families: Family[]): Record<string, number | undefined> {
  return Object.fromEntries(families.map(({ name, samples }) => [name, samples[0]?.value]));
}

describe('what the process says of itself', () => {
  it('has the names that dashboards for Node know', async () => {
    const names = (await processFamilies()).map(({ name }) => name);
    const onLinux = procFamilies().map(({ name }) => name);
    expect(names).toEqual([
      'process_cpu_user_seconds_total',
      'process_cpu_system_seconds_total',
      'process_cpu_seconds_total',
      'process_start_time_seconds',
      'process_resident_memory_bytes',
      ...onLinux,
      'nodejs_eventloop_lag_seconds',
      'nodejs_active_resources',
      'nodejs_active_resources_total',
      'nodejs_heap_size_total_bytes',
      'nodejs_heap_size_used_bytes',
      'nodejs_external_memory_bytes',
      'nodejs_heap_space_size_total_bytes',
      'nodejs_heap_space_size_used_bytes',
      'nodejs_heap_space_size_available_bytes',
      'nodejs_version_info',
    ]);
  });

  it('gives base units, and sums that hold', async () => {
    const families = await processFamilies();
    const values = valuesOf(families);
    const { process_cpu_user_seconds_total: user = NaN, process_cpu_system_seconds_total: system = NaN } = values;
    expect(values['process_cpu_seconds_total']).toBeCloseTo(user + system, 6);
    expect(values['process_start_time_seconds']).toBe(Math.round(performance.timeOrigin / 1000));
    expect(values['nodejs_heap_size_used_bytes']).toBeLessThan(values['nodejs_heap_size_total_bytes'] ?? NaN);
    const resources = families.find(({ name }) => name === 'nodejs_active_resources')?.samples ?? [];
    expect(resources.reduce((sum, { value }) => sum + value, 0)).toBe(values['nodejs_active_resources_total']);
    const version = families.at(-1)?.samples[0]?.labels;
    expect(version).toMatchObject({ version: process.version, major: process.versions.node.split('.')[0] });
  });

  it('measures the lag of the event loop while it is asked', async () => {
    const times = [1000, 1002.5];
    const families = await processFamilies(() => times.shift() ?? NaN);
    expect(valuesOf(families)['nodejs_eventloop_lag_seconds']).toBe(0.0025);
  });
});

describe('what Linux tells of a process', () => {
  it('reads memory in kilobytes, the files that are open and how many may be', () => {
    const folder = tempFolder();
    writeFileSync(
      path.join(folder, 'status'),
      'Name:\tnode\nVmSize:\t   1000 kB\nVmRSS:\t  7 kB\nVmData:\t     20 kB\n',
    );
    writeFileSync(
      path.join(folder, 'limits'),
      'Limit  Soft Limit  Hard Limit  Units\nMax open files  1024  4096  files\n',
    );
    for (const fd of ['0', '1', '2', '3']) mkdirSync(path.join(folder, 'fd', fd), { recursive: true });
    expect(valuesOf(procFamilies(folder))).toEqual({
      process_virtual_memory_bytes: 1_024_000,
      process_heap_bytes: 20_480,
      process_open_fds: 3,
      process_max_fds: 1024,
    });
  });

  it('knows that there may be no limit', () => {
    const folder = tempFolder();
    writeFileSync(
      path.join(folder, 'limits'),
      'Max open files            unlimited            unlimited            files\n',
    );
    expect(valuesOf(procFamilies(folder))).toEqual({ process_max_fds: Infinity });
  });

  it('says nothing where there is no such folder, as on other systems', () => {
    expect(procFamilies(path.join(tempFolder(), 'none'))).toEqual([]);
  });
});
