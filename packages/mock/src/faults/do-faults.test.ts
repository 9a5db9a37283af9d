import { EventEmitter } from 'node:events';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createFaultRules } from './create-fault-rules.ts';
import { wait } from './do-faults.ts';

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

const { draw } = createFaultRules({ seed: 'a', clock: { now: Date.now } });
const faults = [draw('a', { latency: 1_000 }), draw('b', { latency: 500 })];

test('latencies add up', () => {
  const then = vi.fn();
  const connection = new EventEmitter();
  wait(faults, connection, then);
  vi.advanceTimersByTime(1_499);
  expect(then).not.toHaveBeenCalled();
  vi.advanceTimersByTime(1);
  expect(then).toHaveBeenCalledOnce();
  expect(connection.listenerCount('close')).toBe(0);
});

test('without latency there is no turn of the event loop', () => {
  const then = vi.fn();
  wait([draw('a', { reset: true })], new EventEmitter(), then);
  expect(then).toHaveBeenCalledOnce();
});

test('nothing is answered where the client is gone', () => {
  const then = vi.fn();
  const connection = new EventEmitter();
  wait(faults, connection, then);
  connection.emit('close');
  expect(vi.getTimerCount()).toBe(0);
  expect(then).not.toHaveBeenCalled();
});
