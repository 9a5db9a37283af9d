import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { compare } from './compare.ts';

const CLI = join(import.meta.dirname, 'cli.ts');

it('takes the median of the ratios, pair by pair', async () => {
  const speeds = [1, 1, 1, 2, 2, 4, 4];
  let calls = 0;
  const measure = (factor: number) => async () => factor * (speeds[Math.floor(calls++ / 2)] ?? 1);
  const figure = { suite: 's', measure: 'calls/s', peerName: 'p', goal: '>= 2' } as const;
  const row = await compare(figure, 3, measure(3), measure(1));
  expect(row).toMatchObject({ ratio: 3, runs: 3, holds: true });
});

it('refuses an unknown suite before anything is measured', () => {
  const { status, stderr } = spawnSync(process.execPath, [CLI, 'nope'], { encoding: 'utf8' });
  expect(stderr).toContain('Allowed choices are stubs, ');
  expect(status).toBe(2);
});

it.runIf(process.platform === 'linux')('ends with the code of a signal', async () => {
  const child = spawn(process.execPath, [CLI, 'stubs']);
  await once(child.stdout, 'data');
  child.kill('SIGTERM');
  expect(await once(child, 'exit')).toEqual([143, null]);
});
