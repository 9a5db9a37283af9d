import rules from '@berth/spec/rules.json' with { type: 'json' };
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createConformance, type Finding } from '../src/index.ts';
import { checkMutant } from './mutants/check-mutant.ts';
import { refuseChunks } from './mutants/gateway-requests.ts';
import { mutants } from './mutants/index.ts';
import type { Mutant } from './mutants/mutant.ts';
import { type Mutated, startMutated } from './targets/start-mutated.ts';

let mutated: Mutated;
beforeAll(async () => {
  mutated = await startMutated();
});
afterAll(() => mutated.close());

test('every rule has a mutant', () => {
  const broken = new Set<string>(mutants.map(({ rule }) => rule));
  expect(rules.rules.map(({ id }) => id).filter((id) => !broken.has(id))).toEqual([]);
});

/** Whether a finding has the request and the response, and its message names the actual value. */
function isClear({ message, request, response }: Finding): boolean {
  const isSaid = !/\bnot (undefined\b|\(|$)|\[object /.test(message);
  return isSaid && request !== undefined && response !== undefined;
}

/** Links that never expire are found after a minute, so that mutant is the first. */
const ORDERED = mutants.toSorted((a, b) => toWait(b) - toWait(a));
function toWait({ rule }: Mutant): number {
  return Number(rule === 'ST-LINKS-EXPIRE');
}

/** Mutants that are checked at the same time, each on a server of its own: most checks wait for responses. */
const AT_ONCE = 4;

describe('a rule fails for its mutants, with clear evidence', () => {
  const servers: Mutated[] = [];
  beforeAll(async () => {
    servers.push(...(await Promise.all(Array.from({ length: AT_ONCE }, () => startMutated()))));
  });
  afterAll(() => Promise.all(servers.map(({ close }) => close())));

  test.concurrent.each(ORDERED)('$rule: $breaks', async (mutant) => {
    const server = servers.pop();
    if (server === undefined) throw new Error('More tests run at once than there are servers.');
    try {
      const { caught, report } = await checkMutant(server, mutant);
      const result = report.results.find(({ id }) => id === mutant.rule);
      expect({ caught, outcome: result?.outcome, reason: result?.reason }).toMatchObject({
        caught: true,
        outcome: 'fail',
      });
      expect(result?.findings.filter((finding) => !isClear(finding))).toEqual([]);
    } finally {
      servers.push(server);
    }
  });
});

test('a gateway may require the length of a body, and the report notes it', async () => {
  mutated.use({ create: () => refuseChunks(411) });
  const only = ['GW-FORWARD-BODY'];
  const { results } = await createConformance({ ...mutated.options, only }).run();
  expect(results.find(({ id }) => id === 'GW-FORWARD-BODY')).toMatchObject({
    outcome: 'pass',
    notes: [expect.stringContaining('411')],
  });
});

test('events that arrive together once on a busy machine do not fail the gateway', async () => {
  let late = 2;
  const hooks = {
    get buffersEvents() {
      late -= 1;
      return late >= 0;
    },
  };
  mutated.use({ create: () => hooks });
  const only = ['GW-SSE-UNBUFFERED'];
  const { results } = await createConformance({ ...mutated.options, only }).run();
  expect(late).toBeLessThan(0);
  expect(results.find(({ id }) => id === 'GW-SSE-UNBUFFERED')?.outcome).toBe('pass');
});
