import { expect, test } from 'vitest';
import { FaultRules, type FaultSubject } from './fault-rules.ts';

const CALL: FaultSubject = { surface: 'gateway', operationId: 'cloudrun-get', service: 'hello' };
const DELETE: FaultSubject = { surface: 'storage', operationId: 'batchDelete', service: undefined };

function create(seed = 'a') {
  const clock = { time: 0, now: () => clock.time };
  return { clock, rules: new FaultRules({ seed, clock }) };
}

test.each([
  [undefined, 2],
  ['gateway', 1],
  ['cloudrun-get', 1],
  ['service:hello', 1],
  ['service:other', 0],
  ['batchDelete', 1],
  ['upload', 0],
])('applies a rule that matches %s to %d of two calls', (match, count) => {
  const { rules } = create();
  rules.put({ name: 'a', ...(match !== undefined && { match }), fault: { truncate: 0 } });
  expect(rules.take(CALL).length + rules.take(DELETE).length).toBe(count);
});

test('chooses calls at random, and the same ones for the same seed', () => {
  const draw = (seed: string) => {
    const { rules } = create(seed);
    rules.put({ name: 'a', share: 0.3, fault: { latency: { min: 10, max: 20 } } });
    return Array.from({ length: 2_000 }, () => rules.take(CALL)[0]?.latency);
  };
  const drawn = draw('a').filter((latency) => latency !== undefined);
  expect(draw('a')).toEqual(draw('a'));
  expect(draw('b')).not.toEqual(draw('a'));
  expect(drawn.length / 2_000).toBeCloseTo(0.3, 1);
  expect(Math.min(...drawn)).toBeGreaterThanOrEqual(10);
  expect(Math.max(...drawn)).toBeLessThan(20);
  expect(drawn.reduce((sum, latency) => sum + latency) / drawn.length).toBeCloseTo(15, 0);
});

test('a normal distribution has its mean and deviation, and no values below 0', () => {
  const { rules } = create();
  const draw = (mean: number, deviation: number) =>
    Array.from({ length: 5_000 }, () => rules.draw('a', { latency: { mean, deviation } }).latency);
  const latencies = draw(200, 20);
  const mean = latencies.reduce((sum, latency) => sum + latency) / latencies.length;
  const variance = latencies.reduce((sum, latency) => sum + (latency - mean) ** 2, 0) / 5_000;
  expect(mean).toBeGreaterThan(198);
  expect(mean).toBeLessThan(202);
  expect(Math.sqrt(variance)).toBeGreaterThan(19);
  expect(Math.sqrt(variance)).toBeLessThan(21);
  expect(Math.min(...draw(0, 10))).toBe(0);
});

test("reports how long calls above a rate must wait, by the session's clock", () => {
  const { rules, clock } = create();
  rules.put({ name: 'a', fault: { callsPerSecond: 2 } });
  expect([rules.take(CALL), rules.take(CALL)]).toEqual([[], []]);
  expect(rules.take(CALL)).toMatchObject([{ name: 'a', retryAfter: 1 }]);
  clock.time += 499;
  expect(rules.take(CALL)).toHaveLength(1);
  clock.time += 1;
  expect(rules.take(CALL)).toEqual([]);
  expect(rules.take(CALL)).toHaveLength(1);
  clock.time -= 10_000;
  expect([rules.take(CALL), rules.take(CALL)]).toEqual([[], []]);
  expect(rules.take(CALL)).toHaveLength(1);
});

test('a rate below one call per second waits longer, and a caller that waits as requested succeeds', () => {
  const { rules, clock } = create();
  rules.put({ name: 'a', fault: { callsPerSecond: 0.3 } });
  expect(rules.take(CALL)).toEqual([]);
  expect(rules.take(CALL)).toMatchObject([{ retryAfter: 4 }]);
  clock.time += 4_000;
  expect(rules.take(CALL)).toEqual([]);
});

test("a rate limit that is not reached does not count for times, and the rule's other faults apply", () => {
  const { rules } = create();
  rules.put({ name: 'a', times: 1, fault: { callsPerSecond: 1 } });
  rules.put({ name: 'b', fault: { callsPerSecond: 1, latency: 5 } });
  expect(rules.take(CALL)).toMatchObject([{ name: 'b', latency: 5, retryAfter: undefined }]);
  expect(rules.take(CALL)).toMatchObject([
    { name: 'a', retryAfter: 1 },
    { name: 'b', latency: 5, retryAfter: 1 },
  ]);
  expect(rules.list().map(({ name }) => name)).toEqual(['b']);
});

test('continues with the same faults after its state was restored', () => {
  const { rules, clock } = create();
  rules.put({ name: 'drawn', share: 0.5, fault: { latency: { mean: 10, deviation: 3 } } });
  rules.put({ name: 'counted', times: 9, fault: { truncate: 1 } });
  rules.put({ name: 'limited', fault: { callsPerSecond: 3 } });
  for (let call = 0; call < 5; call += 1) rules.take(CALL);
  const state = JSON.parse(JSON.stringify(rules.state()));
  const go = () => Array.from({ length: 6 }, () => rules.take(CALL));
  const first = go();
  rules.restore(state);
  expect(rules.state()).toEqual(state);
  expect(go()).toEqual(first);
  expect(clock.time).toBe(0);
});
