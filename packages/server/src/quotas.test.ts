import { expect, onTestFinished, test, vi } from 'vitest';
import { resolveConfig } from './config/config.ts';
import type { ConfigInput } from './config/schema.ts';
import { createQuotas } from './quotas.ts';

const toConfig = (environments: ConfigInput['environments']) =>
  resolveConfig({ keys: [{ secret: 'a key that signs links and grants' }], environments });

async function setUp(calls: number, seconds: number) {
  let time = 5_000;
  const config = await toConfig({ dev: { quota: { calls, seconds } } });
  const now = vi.spyOn(performance, 'now').mockImplementation(() => time);
  onTestFinished(() => now.mockRestore());
  const quotas = createQuotas(config, undefined);
  const pass = (ms: number) => {
    time += ms;
  };
  /** Makes calls at the same moment. Returns for each how many seconds to wait, or undefined. */
  const make = (calls: number) => Array.from({ length: calls }, () => quotas.count('dev'));
  const countAllowed = (calls: number) => make(calls).filter((each) => each === undefined).length;
  return { quotas, pass, make, countAllowed };
}

test('allows the quota in each window, which begins with a call, and says when the next may begin', async () => {
  const { make, pass } = await setUp(2, 5);
  expect(make(1)).toEqual([undefined]);
  pass(1_500);
  expect(make(3)).toEqual([undefined, 4, 4]);
  pass(3_499);
  expect(make(1)).toEqual([1]);
  pass(1);
  expect(make(3)).toEqual([undefined, undefined, 5]);
  pass(60_000);
  expect(make(3)).toEqual([undefined, undefined, 5]);
});

test('keeps the used part of a quota across an update', async () => {
  const { quotas, countAllowed, pass } = await setUp(10, 60);
  expect(countAllowed(10)).toBe(10);
  quotas.update(await toConfig({ dev: { quota: { calls: 12, seconds: 1 } } }));
  expect(countAllowed(10)).toBe(2);
  pass(1_000);
  expect(countAllowed(20)).toBe(12);
  quotas.update(await toConfig({ dev: {} }));
  expect(countAllowed(100)).toBe(100);
});
