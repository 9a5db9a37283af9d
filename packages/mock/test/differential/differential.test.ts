import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createMock, type Mock } from '../../src/index.ts';
import { compare } from './compare.ts';
import { documentedRequests } from './documented-requests.ts';
import { anyRequest } from './generated-requests.ts';
import { type Prism, startPrism } from './prism.ts';
import { type Rule, rules } from './rules.ts';

/** Set `DIFFERENTIAL_SEED` and `DIFFERENTIAL_RUNS` for other requests, and more of them. */
const { DIFFERENTIAL_SEED: seed = '6', DIFFERENTIAL_RUNS: numRuns = '500' } = process.env;
const RUNS = { seed: Number(seed), numRuns: Number(numRuns) };

let both: { mock: Mock; prism: Prism; used: Set<Rule> };

beforeAll(async () => {
  const [mock, prism] = await Promise.all([createMock({ mode: 'static' }), startPrism()]);
  both = { mock, prism, used: new Set() };
});
afterAll(async () => {
  both.prism.close();
  await both.mock.close();
});

const documented = documentedRequests();

test(`${documented.length} documented responses equal those of prism-cli`, async () => {
  const differences = [];
  for (const asked of documented) differences.push(await compare(both, asked));
  expect(differences.filter(Boolean).slice(0, 3)).toEqual([]);
});

test(`${RUNS.numRuns} generated requests get the same result as from prism-cli (seed ${RUNS.seed})`, async () => {
  const property = fc.asyncProperty(anyRequest, async (asked) => {
    expect(await compare(both, asked)).toBeUndefined();
  });
  await fc.assert(property, RUNS);
});

test('there are at most 10 rules, and each one is used', () => {
  expect(rules.length).toBeLessThanOrEqual(10);
  expect(rules.filter((rule) => !both.used.has(rule)).map(({ name }) => name)).toEqual([]);
});
