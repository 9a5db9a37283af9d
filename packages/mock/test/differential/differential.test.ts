import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Mock } from '../../src/index.ts';
import { expectInContract } from '../helpers/contract.ts';
import { compare, evaluate, startOurs } from './compare.ts';
import { documentedRequests } from './documented-requests.ts';
import { anyRequest, validRequest } from './generated-requests.ts';
import { goodRequest, OPERATIONS } from './operations.ts';

import { type Prism, startPrism } from './prism.ts';
import { type Rule, rules } from './rules.ts';

/** Set `DIFFERENTIAL_SEED` and `DIFFERENTIAL_RUNS` for other requests, and more of them. */
const { DIFFERENTIAL_SEED: seed = '6', DIFFERENTIAL_RUNS: numRuns = '500' } = process.env;
const RUNS = { seed: Number(seed), numRuns: Number(numRuns) };

let both: { mock: Mock; prism: Prism; used: Set<Rule> };

beforeAll(async () => {
  const [mock, prism] = await Promise.all([startOurs('static'), startPrism()]);
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

test('no rule changes the status of a valid request', async () => {
  const property = fc.asyncProperty(
    fc.constantFrom(...OPERATIONS).chain(validRequest),
    async (asked) => {
      const [ours, peer] = [await evaluate(both.mock, asked), await both.prism.evaluate(asked)];
      expect({ asked, status: ours.status }).toEqual({ asked, status: peer.status });
      expect([ours.violations, peer.violations]).toEqual([[], []]);
    },
  );
  await fc.assert(property, { ...RUNS, numRuns: 100 });
});

test('dynamic responses of both match the schemas', async () => {
  const [mock, prism] = await Promise.all([
    startOurs('dynamic'),
    startPrism('--dynamic', '--seed', 'differential'),
  ]);
  try {
    for (const operation of OPERATIONS.filter(({ id }) => id !== 'uploadFile')) {
      const asked = goodRequest(operation);
      const question = { ...asked, headers: { ...asked.headers, accept: 'application/json' } };
      for (const verdict of [await evaluate(mock, question), await prism.evaluate(question)]) {
        expectInContract(asked.method, asked.path, verdict.status, verdict.body);
        expect([verdict.status, verdict.type]).toEqual([200, 'application/json']);
      }
    }
  } finally {
    prism.close();
    await mock.close();
  }
});

test('there are at most 10 rules, and each one is used', () => {
  expect(rules.length).toBeLessThanOrEqual(10);
  expect(rules.filter((rule) => !both.used.has(rule)).map(({ name }) => name)).toEqual([]);
});
