import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createMock, type Mock } from '../../src/index.ts';
import {
  type Asked,
  NOT_COMPARED,
  OWN_ID,
  send,
  toBody,
  toSet,
  toType,
  type Verdict,
} from './exchange.ts';
import { anyRequest } from './generated-requests.ts';
import { documentedRequests } from './operations.ts';
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

/** A disagreement that no rule explains. */
interface Difference {
  readonly asked: Asked;
  readonly prism: Verdict;
  readonly expected: Verdict;
  readonly ours: Verdict;
}

/**
 * Calls both, and applies the rules to change Prism's verdict into what ours must be.
 *
 * @param used the rules that changed something are added to it
 */
export async function compare(
  { mock, prism, used }: { mock: Mock; prism: Prism; used: Set<Rule> },
  asked: Asked,
): Promise<Difference | undefined> {
  let question = asked;
  for (const rule of rules) question = note(used, rule, question, rule.ask?.(question));
  const verdict = await prism.evaluate(question);
  let expected = verdict;
  for (const rule of rules) expected = note(used, rule, expected, rule.expect?.(expected, asked));
  const ours = await evaluate(mock, asked);
  return isAlike(ours, expected) ? undefined : { asked, prism: verdict, expected, ours };
}

function isAlike(ours: Verdict, expected: Verdict): boolean {
  const { isRefusal } = expected;
  const body = expected.body === NOT_COMPARED ? NOT_COMPARED : ours.body;
  return isDeepStrictEqual({ ...ours, isRefusal, body }, expected);
}

function note<Value>(used: Set<Rule>, rule: Rule, before: Value, after: Value | undefined): Value {
  if (after === undefined || isDeepStrictEqual(before, after)) return before;
  used.add(rule);
  return after;
}

/** Returns what our mock does with a request, and what its log reports about it. */
async function evaluate(mock: Mock, asked: Asked): Promise<Verdict> {
  const session = mock.session();
  session.reset({ only: ['requests'] });
  const { status, headers, text } = await send(mock.url, asked);
  const [logged, ...others] = session.requests();
  if (logged === undefined || others.length > 0)
    throw new Error('The log does not have exactly one call.');
  if (logged.responseViolations.length > 0) throw new Error('The response breaks the contract.');
  const type = toType(headers['content-type']);
  return {
    status,
    isRefusal: logged.violations.length > 0,
    violations: toSet(logged.violations.map((one) => `${one.in} ${one.pointer} ${one.keyword}`)),
    type: text === '' ? undefined : type,
    body: withoutId(toBody(type, text), String(headers['x-request-id'])),
  };
}

/** The request ID is in the header and the body of a response, and differs for each call. */
function withoutId(body: unknown, id: string): unknown {
  if (body === undefined) return undefined;
  return JSON.parse(JSON.stringify(body).replaceAll(`"${id}"`, JSON.stringify(OWN_ID)));
}
