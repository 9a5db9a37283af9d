import { expect, test } from 'vitest';
import { findRule } from '../contract/rules.ts';
import { NetworkError } from '../http/connection.ts';
import { DisabledError, SkipError, skipped } from '../not-run.ts';
import type { Outcome } from '../result.ts';
import { decideCheck, decideInvariant, decideRule, type Part } from './outcome.ts';

const running = new AbortController().signal;
const over = AbortSignal.abort('the run is over');

test.each<[string, error: unknown, made: Outcome, madeNone: Outcome]>([
  ['finishes', undefined, 'pass', 'error'],
  ['lacks what it needs', new SkipError('no file'), 'skip', 'skip'],
  ['lacks an optional feature', new DisabledError('no forms'), 'disabled', 'disabled'],
  ['gets no response', new NetworkError('late', 'TIMEOUT'), 'error', 'error'],
  ['throws', new TypeError('a bug'), 'error', 'error'],
])('a check that %s, with assertions and without', (_, error, made, madeNone) => {
  const check = { findings: 0, hasAsserted: true, error };
  expect(decideCheck(check, running).outcome).toBe(made);
  expect(decideCheck({ ...check, hasAsserted: false }, running).outcome).toBe(madeNone);
  expect(decideCheck({ ...check, findings: 1 }, running)).toEqual({ outcome: 'fail' });
  const rejected = skipped('expired');
  expect(decideCheck({ ...check, findings: 1, rejected }, running)).toBe(rejected);
});

test('the end of the run explains every check that it interrupts', () => {
  const reason = { outcome: 'skip', reason: 'the run is over' };
  for (const error of [new SkipError('no close'), new TypeError(), undefined]) {
    expect(decideCheck({ findings: 0, hasAsserted: false, error }, over)).toEqual(reason);
  }
});

test.each<[string, number | undefined, checked: Outcome, Outcome | undefined]>([
  ['violated', 1, 'error', 'fail'],
  ['followed', 0, 'skip', 'pass'],
  ['never applied', undefined, 'pass', 'skip'],
  ['never applied', undefined, 'disabled', undefined],
])('an invariant that is %s', (_, violations, outcome, expected) => {
  const scope = violations === undefined ? undefined : { violations, responses: 2 };
  expect(decideInvariant(scope, [{ outcome }])?.outcome).toBe(expected);
});

test.each<[parts: Outcome[], Outcome, reason: string | undefined]>([
  [['pass', 'pass'], 'pass', undefined],
  [['pass', 'disabled'], 'pass', 'disabled'],
  [['disabled', 'skip', 'pass'], 'skip', 'skip'],
  [['skip', 'error', 'pass'], 'error', 'error'],
  [['error', 'fail'], 'fail', undefined],
])('a sentence with the parts %j, and its rule', (outcomes, outcome, reason) => {
  const parts = outcomes.map((one) => {
    const why = one === 'pass' || one === 'fail' ? {} : { reason: one };
    return { id: 'GW-C2/1', outcome: one, findings: [], ...why };
  });
  const result = decideRule(findRule('GW-C2'), parts);
  expect(result.sentences).toMatchObject([{ id: 'GW-C2/1', outcome }]);
  expect(result.sentences[0]?.reason).toBe(reason);
  expect(result.outcome).toBe(outcome);
});

test('the reason of a rule names its sentence, unless all have the same', () => {
  const rule = findRule('GW-C2');
  const first: Part = { id: 'GW-C2/1', outcome: 'skip', reason: 'no file', findings: [] };
  const second: Part = { ...first, id: 'GW-C2/2' };
  expect(decideRule(rule, [first, second]).reason).toBe('no file');
  const passed: Part = { id: 'GW-C2/2', outcome: 'pass', findings: [] };
  expect(decideRule(rule, [first, passed]).reason).toBe('GW-C2/1: no file');
});
