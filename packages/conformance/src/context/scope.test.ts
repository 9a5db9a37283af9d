import { expect, test } from 'vitest';
import { toReceived } from '../http/exchange.ts';
import { Scope } from './scope.ts';

/** A call of a storage operation, and its response. */
function call(status: number, operation = 'batchDelete', query = '') {
  const url = `http://a.example/api/v2/envs/dev/storages:${operation}${query}`;
  const sent = { method: 'POST', url, headers: [], body: Buffer.alloc(0) };
  return { sent, received: toReceived(status, [], Buffer.alloc(0)) };
}

function describe(...calls: [evidence: ReturnType<typeof call>, holds: boolean][]) {
  const scope = new Scope();
  for (const [evidence, holds] of calls) scope.add(evidence, holds);
  return scope.describe();
}

test('says what only the failing calls have in common', () => {
  const fine = [200, 404, 404].map((status) => [call(status), true] as [never, true]);
  expect(describe(...fine, [call(500), false], [call(500), false])).toBe(
    '2 of 5 calls, only those with status 500',
  );
  expect(describe(...fine, [call(404, 'batchCopyFile'), false])).toBe(
    '1 of 4 calls, only those with operation batchCopyFile',
  );
  expect(describe(...fine, [call(500), false], [call(502, 'batchCopyFile'), false])).toBe(
    '2 of 5 calls, only those with status 500 or 502',
  );
  expect(describe([call(200), true], [call(200, undefined, '?type=a%3Ab'), false])).toBe(
    '1 of 2 calls, only those with parameter type a:b',
  );
});

test('says that all fail, or only how many', () => {
  expect(describe([call(500), false], [call(404), false])).toBe('all 2 calls');
  expect(describe([call(404), false], [call(404), true], [call(500), true])).toBe('1 of 3 calls');
});

test('counts a call once, however many assertions are about it', () => {
  const one = call(500);
  expect(describe([one, true], [one, false], [one, true], [call(200), true])).toBe(
    '1 of 2 calls, only those with status 500',
  );
  expect(describe([one, false], [one, true])).toBeUndefined();
  expect(describe([one, true], [call(404), true])).toBeUndefined();
});
