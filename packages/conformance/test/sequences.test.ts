import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { testOn } from '../../../scripts/testing/engines.ts';
import { createConformance } from '../src/index.ts';
import { checkMutant } from './mutants/check-mutant.ts';
import { mutants } from './mutants/index.ts';
import { signStorageHeaders } from './targets/sign-storage-headers.ts';
import { type Mutated, startMutated } from './targets/start-mutated.ts';

let mutated: Mutated;
beforeAll(async () => {
  mutated = await startMutated();
});
afterAll(() => mutated.close());

test('the same seed makes the same sequences, and the run leaves nothing behind', async () => {
  const run = () =>
    createConformance({ ...mutated.options, only: ['ST-SEQUENCE'], sequences: 5, seed: 7 }).run();
  const [first, second] = [await run(), await run()];
  expect(first.leftovers).toEqual([]);
  const { requests } = first.results.find(({ id }) => id === 'ST-SEQUENCE') ?? {};
  expect(requests).toBeGreaterThan(20);
  expect(second.results.find(({ id }) => id === 'ST-SEQUENCE')).toMatchObject({ requests });
});

testOn('curl')('the shell script in the report shows the fault again', async () => {
  const mutant = mutants.find(
    ({ breaks, rule }) => rule === 'ST-SEQUENCE' && breaks === 'a copy changes with its source',
  );
  if (mutant === undefined) throw new Error('The mutant has another description.');
  const { report } = await checkMutant(mutated, mutant);
  const [finding] = report.results.find(({ id }) => id === mutant.rule)?.findings ?? [];
  const { tc3 } = mutated.options;
  const headers = signStorageHeaders({ id: tc3?.secretId ?? '', secret: tc3?.secretKey ?? '' });
  const variables = Object.entries(headers).map(([name, value]) => [
    name.toUpperCase().replaceAll('-', '_'),
    value,
  ]);
  for (const value of Object.values(headers)) {
    if (value.length > 12) expect(finding?.script).not.toContain(value);
  }
  const found = /must have content (\d), but a read returned content (\d)/.exec(
    finding?.message ?? '',
  );
  mutated.use(mutant);
  try {
    const { stdout, stderr } = await promisify(execFile)('sh', ['-c', finding?.script ?? ''], {
      env: { ...process.env, ...Object.fromEntries(variables) },
    });
    const last = stdout.slice(stdout.lastIndexOf('. read'));
    expect({ stderr, last }).toEqual({
      stderr: '',
      last: expect.stringContaining(`content ${found?.[2]}`),
    });
    expect(last).not.toContain(`content ${found?.[1]}`);
  } finally {
    mutated.use(undefined);
  }
});
