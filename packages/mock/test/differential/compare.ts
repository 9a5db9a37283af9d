import { isDeepStrictEqual } from 'node:util';
import type { Mock } from '../../src/index.ts';
import { type Asked, NOT_COMPARED, type Verdict } from './exchange.ts';
import { judge } from './ours.ts';
import type { Prism } from './prism.ts';
import { type Rule, rules } from './rules.ts';

/** A disagreement that no rule explains. */
export interface Difference {
  readonly asked: Asked;
  readonly prism: Verdict;
  readonly expected: Verdict;
  readonly ours: Verdict;
}

/**
 * Asks both, and changes Prism's verdict by the rules into what ours must be.
 *
 * @param used the rules that changed something are added
 */
export async function compare(
  { mock, prism, used }: { mock: Mock; prism: Prism; used: Set<Rule> },
  asked: Asked,
): Promise<Difference | undefined> {
  let question = asked;
  for (const rule of rules) question = note(used, rule, question, rule.ask?.(question));
  const verdict = await prism.judge(question);
  let expected = verdict;
  for (const rule of rules) expected = note(used, rule, expected, rule.expect?.(expected, asked));
  const ours = await judge(mock, asked);
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
