import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describeOn, findProgram } from '@berth/runtimes/engines';
import { expect, it } from 'vitest';
import { runWithin } from '../support/run.ts';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';

const DRIVERS = join(import.meta.dirname, '../../drivers');

/** Checks a driver with the command line, and returns the exit code and the IDs by outcome. */
async function check(command: readonly string[], ...options: string[]) {
  await using folder = await makeTemporaryFolder();
  const file = join(folder.path, 'report.json');
  const args = ['--report', `json=${file}`, '--timeout', '300000', ...options];
  const env = process.env as Record<string, string>;
  const { code, output } = await runWithin({ env }, 'client', ...args, '--', ...command);
  const { extra } = JSON.parse(await readFile(file, 'utf8'));
  const ids = (outcome: string): string[] =>
    extra.berth.results
      .filter((result: { outcome: string }) => result.outcome === outcome)
      .map(({ id }: { id: string }) => id);
  return { code, output, failed: ids('fail'), skipped: ids('skip'), passed: ids('pass') };
}

it('@berth/client passes every rule', async () => {
  const node = [process.execPath, '--conditions=berth-source'];
  const { code, failed, skipped, output } = await check([
    ...node,
    join(DRIVERS, 'berth-client.ts'),
  ]);
  expect({ failed, skipped }).toEqual({ failed: [], skipped: [] });
  expect(code, output).toBe(0);
});

/** What the small clients in Python and Go leave out: they neither connect again nor split lists. */
const LEFT_OUT = ['CL-SSE-RESUME', 'CL-LIST-LIMIT'];

describeOn('python', 'the driver in Python', () => {
  it('passes every MUST rule', async () => {
    const { code, failed, skipped } = await check(['python3', join(DRIVERS, 'driver.py')]);
    expect({ failed, skipped }).toEqual({ failed: LEFT_OUT, skipped: [] });
    expect(code).toBe(0);
  });
});

describeOn('go', 'the driver in Go', () => {
  it('passes every MUST rule', async () => {
    const go = findProgram(['go']) ?? 'go';
    const { code, failed, skipped } = await check([go, 'run', join(DRIVERS, 'driver.go')]);
    expect({ failed, skipped }).toEqual({ failed: LEFT_OUT, skipped: [] });
    expect(code).toBe(0);
  });
});
