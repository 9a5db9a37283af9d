import { describe, expect, test } from 'vitest';
import { runSuite } from './run-suite.ts';
import { startMock } from './targets/start-mock.ts';
import { startMutated } from './targets/start-mutated.ts';
import { startReference } from './targets/start-reference.ts';
import { combine } from './variants/combine.ts';
import { deployments, variants } from './variants/index.ts';

test('there are more than 40 variants, and each is in a deployment', () => {
  const names = new Set(deployments.flatMap((rows) => Object.keys(rows)));
  expect([...names].sort()).toEqual(Object.keys(variants).sort());
  expect(names.size).toBeGreaterThan(40);
});

describe('a correct deployment that differs from ours passes', () => {
  test.each([
    ['reference server', startReference, deployments[0] ?? {}],
    ['mock', startMock, deployments[1] ?? {}],
  ] as const)('the %s with variants', async (_, start, rows) => {
    await using mutated = await startMutated(start);
    const effective = new Set<string>();
    mutated.use({ create: (context) => combine(rows, context, effective) });
    const wireProfile = 'responses are flat' in rows ? ({ envelope: 'flat' } as const) : undefined;
    const ran = await runSuite({ ...mutated.options, wireProfile });
    expect(ran).toMatchObject({ exitCode: 0, fail: [], skip: [], error: [] });
    const idle = Object.keys(rows).filter((name) => !effective.has(name));
    expect(idle, 'variants that changed nothing').toEqual([]);
  });
});
