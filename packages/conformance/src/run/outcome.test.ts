import { expect, test } from 'vitest';
import { NetworkError } from '../http/connection.ts';
import { DisabledError, FailError, NoWebSocketError, SkipError } from '../not-run.ts';
import type { Outcome } from '../result.ts';
import { decideCheck, decideInvariant, findDecisive, findUnchecked } from './outcome.ts';

const running = new AbortController().signal;
const over = AbortSignal.abort('the run is over');

test.each<[string, error: unknown, made: Outcome, madeNone: Outcome]>([
  ['finishes', undefined, 'pass', 'error'],
  ['lacks WebSockets', new NoWebSocketError('none'), 'pass', 'skip'],
  ['lacks what it needs', new SkipError('no file'), 'skip', 'skip'],
  ['lacks an optional feature', new DisabledError('no forms'), 'disabled', 'disabled'],
  ['gets no response', new NetworkError('late', 'TIMEOUT'), 'error', 'error'],
  ['throws', new TypeError('a bug'), 'error', 'error'],
])('a check that %s, with assertions and without', (_, error, made, madeNone) => {
  const check = { findings: 0, hasAsserted: true, error };
  expect(decideCheck(check, running).outcome).toBe(made);
  expect(decideCheck({ ...check, hasAsserted: false }, running).outcome).toBe(madeNone);
  expect(decideCheck({ ...check, findings: 1 }, running)).toEqual({ outcome: 'fail' });
});

test('the end of the run explains every check that it interrupts', () => {
  const reason = { outcome: 'skip', reason: 'the run is over' };
  for (const error of [new FailError(), new TypeError(), undefined]) {
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

test.each<[Outcome[], decisive: Outcome, unchecked: string | undefined]>([
  [['pass', 'pass'], 'pass', undefined],
  [['pass', 'disabled'], 'pass', 'disabled'],
  [['disabled', 'skip', 'pass'], 'skip', 'skip'],
  [['skip', 'error', 'pass'], 'error', 'error'],
  [['error', 'fail'], 'fail', undefined],
])('the parts %j', (outcomes, decisive, unchecked) => {
  const parts = outcomes.map((outcome) => ({ outcome, reason: outcome }));
  expect(findDecisive(parts).outcome).toBe(decisive);
  expect(findUnchecked(decisive, parts)).toBe(unchecked);
});
