import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { type Run, runWithFaults } from './support/faults/run-with-faults.ts';
import { SCENARIOS } from './support/faults/scenarios.ts';

/** `BERTH_FAULT_SEED` sets the first seed, `BERTH_FAULT_RUNS` the number of runs. */
const FIRST = Number(process.env.BERTH_FAULT_SEED ?? 1);
const RUNS = Number(process.env.BERTH_FAULT_RUNS ?? 170);
/** Number of concurrent runs. */
const PARALLEL = 8;
/** Number of seeds per process, one for each scenario. */
const IN_CHILD = Object.keys(SCENARIOS).length;

describe(`through a proxy that breaks connections, seeds ${FIRST} to ${FIRST + RUNS - 1}`, () => {
  const time = Math.max(600_000, RUNS * 500);

  it(
    'no call is executed twice, hangs, returns wrong data, leaks or fails with an unexpected error',
    async () => {
      const seeds = Array.from({ length: RUNS }, (_, at) => FIRST + at).values();
      const runs: Run[] = [];
      const work = async () => {
        for (const seed of seeds) runs.push(await runWithFaults(seed));
      };
      await Promise.all(Array.from({ length: PARALLEL }, work));
      expect(runs.flatMap(({ complaints }) => complaints)).toEqual([]);
      // A proxy that breaks everything or nothing would prove nothing.
      const failed = runs.filter(({ failures }) => failures.length > 0);
      expect(failed.length).toBeGreaterThan(RUNS / 5);
      // How many calls time out, or are aborted before they end, depends on the machine.
      const broken = failed.filter(({ failures }) =>
        failures.some((name) => name !== 'TimeoutError' && name !== 'Error'),
      );
      expect(broken.length).toBeLessThan(RUNS / 2);
    },
    time,
  );

  it(
    'nothing is left that keeps a process alive',
    async () => {
      const script = join(import.meta.dirname, 'support/faults/child.ts');
      const args = ['--conditions=berth-source', '--disable-warning=ExperimentalWarning', script];
      const child = spawn(process.execPath, [...args, `${FIRST}`, `${IN_CHILD}`]);
      const output = Promise.all([text(child.stdout), text(child.stderr)]);
      child.stdout.on('data', (chunk) => {
        if (String(chunk).endsWith('done\n')) setTimeout(() => child.kill(), 60_000).unref();
      });
      const [code, signal] = await once(child, 'close');
      expect(await output).toEqual(['done\n', '']);
      expect({ code, signal }).toEqual({ code: 0, signal: null });
    },
    time,
  );
});
