import { expect, test } from 'vitest';
import { Clock } from './clock.ts';

test('continues from the time that was set', () => {
  let machine = 1_000;
  const clock = new Clock(() => machine);
  expect([clock.now(), clock.state]).toEqual([1_000, { offset: 0, frozen: false }]);
  clock.set(5_000);
  machine += 10;
  expect([clock.now(), clock.state]).toEqual([5_010, { offset: 4_000, frozen: false }]);
  clock.advance(90);
  expect(clock.now()).toBe(5_100);
  clock.reset();
  expect(clock.now()).toBe(1_010);
});

test('a frozen clock does not move, and can be advanced', () => {
  let machine = 1_000;
  const clock = new Clock(() => machine);
  clock.set(5_000, { frozen: true });
  machine += 10;
  expect(clock.now()).toBe(5_000);
  clock.advance(1);
  machine += 10;
  expect([clock.now(), clock.state.frozen]).toEqual([5_001, true]);
  clock.set(clock.now());
  machine += 10;
  expect(clock.now()).toBe(5_011);
});

test("advances by exactly the given time, although the machine's clock continues", () => {
  let machine = 1_000;
  const clock = new Clock(() => {
    machine += 1;
    return machine;
  });
  clock.advance(61_000);
  expect(clock.state.offset).toBe(61_000);
});
