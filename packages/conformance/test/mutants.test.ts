import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findRule, rules } from '../src/contract/rules.ts';
import { type ConformanceOptions, createConformance, type Finding } from '../src/index.ts';
import { mutants } from './mutants/index.ts';
import { type Mutated, startMutated } from './targets/start-mutated.ts';

test('every sentence has a mutant', () => {
  const broken = new Set<string>(mutants.map(({ id }) => id));
  const sentences = rules.flatMap((rule) => Object.keys(rule.sentences));
  expect(sentences.filter((id) => !broken.has(id))).toEqual([]);
});

/** Mutants that are checked at the same time, each on a server of its own: most checks wait for responses. */
const AT_ONCE = 4;
const servers: Mutated[] = [];
beforeAll(async () => {
  servers.push(...(await Promise.all(Array.from({ length: AT_ONCE }, () => startMutated()))));
});
afterAll(() => Promise.all(servers.map(({ close }) => close())));

/** Whether a finding has the request and the response, and its message names the actual value. */
function isClear({ message, request, response }: Finding): boolean {
  const isSaid = !/\bnot (undefined\b|\(|$)|\[object /.test(message);
  return isSaid && request !== undefined && response !== undefined;
}

const titled = mutants.map((mutant) => [`${mutant.id}: ${mutant.breaks}`, mutant] as const);

describe('a rule fails for its mutants, with clear evidence', () => {
  test.concurrent.each(titled)('%s', async (_, { id, create }) => {
    const rule = findRule(id).id;
    const server = servers.pop();
    if (server === undefined) throw new Error('More tests run at once than there are servers.');
    const options: ConformanceOptions = {
      ...server.options,
      only: [rule],
      // A run of `ST-SEQUENCE` ends with the first sequence that shows the fault.
      ...(rule === 'ST-SEQUENCE' && { sequences: 200 }),
      // Some mutants swallow what a check waits for.
      timeout: 10_000,
      minLinkSeconds: 3,
    };
    server.use({ create });
    const { results } = await createConformance(options).run();
    servers.push(server);
    const result = results.find((one) => one.id === rule);
    expect(result?.outcome, result?.reason).toBe('fail');
    expect(result?.findings.filter((finding) => !isClear(finding))).toEqual([]);
  });
});
