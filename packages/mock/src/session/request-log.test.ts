import { expect, test } from 'vitest';
import { type LoggedRequest, LogRoom, RequestLog } from './request-log.ts';

const toLogged = (id: string, more: Partial<LoggedRequest> = {}) =>
  ({ id, matched: true, ...more }) as LoggedRequest;

test('logs that share memory respect the limit, and drop the oldest call of all', () => {
  const room = new LogRoom(100);
  const [one, other] = [new RequestLog(room), new RequestLog(room)];
  const ids = () => [one, other].map((log) => log.list().map(({ id }) => id));
  one.put(toLogged('a'), 40);
  other.put(toLogged('b'), 40);
  one.put(toLogged('c'), 20);
  expect(ids()).toEqual([['a', 'c'], ['b']]);
  other.put(toLogged('d'), 40);
  expect(ids()).toEqual([['c'], ['b', 'd']]);
  // Its response has arrived, and is counted too.
  other.put(other.list().at(-1) as LoggedRequest, 60);
  expect(ids()).toEqual([['c'], ['d']]);
  other.clear();
  one.put(toLogged('e'), 80);
  expect(ids()).toEqual([['c', 'e'], []]);
  one.put(toLogged('f'), 101);
  expect(ids()).toEqual([[], []]);
});
