import { array, integer, record } from 'fast-check';
import { expect, test } from 'vitest';
import type { CheckContext } from '../../context/check-context.ts';
import type { Evidence } from '../../http/exchange.ts';
import { forAll } from './for-all.ts';

const EXCHANGE = {} as Evidence;

/** A context that keeps what was expected of it. */
function createContext(settings: { seed: number; runs: number }) {
  const findings: { message: string; exchange: unknown }[] = [];
  const expectOf: CheckContext['expect'] = (holds, message, exchange) => {
    if (!holds) findings.push({ message, exchange });
  };
  const t = { settings, expect: expectOf } as unknown as CheckContext;
  return { t, findings };
}

async function listValues(seed: number): Promise<number[]> {
  const values: number[] = [];
  const { t } = createContext({ seed, runs: 20 });
  await forAll(t, integer(), async (value) => void values.push(value));
  return values;
}

test('a violation is a single finding with the smallest request, the run and the seed', async () => {
  const { t, findings } = createContext({ seed: 7, runs: 100 });
  const lists = record({ fileList: array(integer()) });
  const holds = await forAll(t, lists, async ({ fileList }, expectOne) => {
    expectOne(fileList.length < 3, `at most 2 items, not ${fileList.length}`, EXCHANGE);
  });
  expect(holds).toBe(false);
  expect(findings).toHaveLength(1);
  expect(findings[0]?.message).toMatch(
    /^at most 2 items, not 3 \(run \d+ of 100, --seed 7; smallest request: \{"fileList":\[0,0,0\]\}\)$/,
  );
  expect(findings[0]?.exchange).toBe(EXCHANGE);
});

test('a seed reproduces its requests, and a different seed generates different ones', async () => {
  expect(await listValues(3)).toEqual(await listValues(3));
  expect(await listValues(3)).not.toEqual(await listValues(4));
});

test('other errors are rethrown, and no further calls are made', async () => {
  const { t, findings } = createContext({ seed: 1, runs: 50 });
  const fault = new Error('reset');
  let calls = 0;
  const run = forAll(t, integer(), async () => {
    calls += 1;
    throw fault;
  });
  await expect(run).rejects.toBe(fault);
  expect(calls).toBe(1);
  expect(findings).toEqual([]);
});

test('an error during shrinking does not discard the violation', async () => {
  const { t, findings } = createContext({ seed: 1, runs: 50 });
  let calls = 0;
  await forAll(t, integer({ min: 1000, max: 100_000 }), async (_, expectOne) => {
    calls += 1;
    if (calls > 1) throw new Error('reset');
    expectOne(false, 'breach', EXCHANGE);
  });
  expect(calls).toBe(2);
  expect(findings).toHaveLength(1);
});

test('shrinking ends in time', async () => {
  const { t, findings } = createContext({ seed: 1, runs: 50 });
  let calls = 0;
  const long = array(integer(), { minLength: 400, maxLength: 500 });
  await forAll(t, long, async (list, expectOne) => {
    calls += 1;
    expectOne(list.some((item) => item > 1e8) === false, 'breach', EXCHANGE);
  });
  expect(calls).toBeLessThanOrEqual(202);
  expect(findings).toHaveLength(1);
});
