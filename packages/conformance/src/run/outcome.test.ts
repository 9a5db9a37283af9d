import { expect, test } from 'vitest';
import { findRule } from '../contract/catalog.ts';
import { DisabledError, SkipError } from '../errors.ts';
import { NetworkError } from '../http/connection.ts';
import { toSettings } from '../options.ts';
import type { Outcome } from '../results/result.ts';
import { defineCalls, defineCheck, runChecks } from './check.ts';
import { decide, decideInvariant, decideRule } from './outcome.ts';
import { Run } from './run.ts';

const settings = toSettings({ gatewayUrl: 'http://127.0.0.1:1' });
const running = new Run(settings, new AbortController().signal);
const check = { case: findRule('GW-C1'), needs: [] };
const part = { case: findRule('GW-C2'), findings: [], notes: [], durationMs: 0 };
const over = new Run(settings, AbortSignal.abort('the run is over'));

test.each<[string, error: unknown, Outcome]>([
  ['finishes', undefined, 'pass'],
  ['lacks what it needs', new SkipError('no file'), 'skip'],
  ['lacks an optional feature', new DisabledError('no forms'), 'disabled'],
  ['gets no response', new NetworkError('late', 'TIMEOUT'), 'error'],
  ['throws', new TypeError('a bug'), 'error'],
])('a check that %s, without findings and with one', (_, error, outcome) => {
  expect(decide(running, check, [], error)).toMatchObject({ outcome });
  const findings = [{ message: 'wrong', where: 'GW-C1' }];
  const failed = { ...part, case: check.case, outcome: 'fail', findings };
  expect(decide(running, check, findings, error)).toEqual(failed);
});

test('only a check that defineCalls created may make no assertions', async () => {
  const check = defineCheck('GW-C1', [], async () => {});
  const calls = defineCalls(['GW-C1'], [], async () => {});
  const failed = { outcome: 'error', reason: expect.stringContaining('made no assertions') };
  expect(await runChecks(running, [check])).toMatchObject([failed]);
  expect(await runChecks(running, calls)).toMatchObject([{ outcome: 'pass' }]);
});

test('the end of the run explains every check that it interrupts', () => {
  const reason = { outcome: 'skip', reason: 'the run is over' };
  for (const error of [new SkipError('no close'), new TypeError()]) {
    expect(decide(over, check, [], error)).toMatchObject(reason);
  }
});

test.each<[string, number | undefined, checked: Outcome, Outcome | undefined]>([
  ['violated', 1, 'error', 'fail'],
  ['followed', 0, 'skip', 'pass'],
  ['never applied', undefined, 'pass', 'skip'],
  ['never applied', undefined, 'disabled', undefined],
])('an invariant that is %s', (_, violations, outcome, expected) => {
  const tally = violations === undefined ? undefined : { violations, responses: 2, findings: [] };
  const [part] = decideInvariant(check, tally, [{ outcome }]);
  expect(part?.outcome).toBe(expected);
});

test.each<[parts: Outcome[], Outcome, reason: string | undefined]>([
  [['pass', 'pass'], 'pass', undefined],
  [['pass', 'disabled'], 'pass', 'disabled'],
  [['disabled', 'skip', 'pass'], 'skip', 'skip'],
  [['skip', 'error', 'pass'], 'error', 'error'],
  [['error', 'fail'], 'fail', undefined],
])('a sentence with the parts %j, and its rule', (outcomes, outcome, reason) => {
  const parts = outcomes.map((outcome) => {
    const why = outcome === 'pass' || outcome === 'fail' ? {} : { reason: outcome };
    return { ...part, sentence: 'GW-C2/1', outcome, ...why };
  });
  const result = decideRule(findRule('GW-C2'), parts);
  expect(result.sentences).toMatchObject([{ sentence: 'GW-C2/1', outcome }]);
  expect(result.sentences?.[0]?.reason).toBe(reason);
  expect(result.outcome).toBe(outcome);
});

test('the reason of a rule names its sentence, unless all have the same', () => {
  const first = { ...part, sentence: 'GW-C2/1', outcome: 'skip' as const, reason: 'no file' };
  const second = { ...first, sentence: 'GW-C2/2' };
  expect(decideRule(findRule('GW-C2'), [first, second]).reason).toBe('no file');
  const passed = { ...part, sentence: 'GW-C2/2', outcome: 'pass' as const };
  expect(decideRule(findRule('GW-C2'), [first, passed]).reason).toBe('GW-C2/1: no file');
});
