import { expect, test } from 'vitest';
import { findHeader, toForwarded, toReturned } from './headers.ts';

test('does not forward hop-by-hop headers, nor the mock’s own', () => {
  const raw = [
    'Host',
    'a',
    'Connection',
    'close, X-Hop',
    'X-Hop',
    '1',
    'Transfer-Encoding',
    'chunked',
  ];
  raw.push(
    'X-Mock-Session',
    'a',
    'x-mock-fault',
    'reset',
    'Authorization',
    'b',
    'X-A',
    '1',
    'X-A',
    '2',
  );
  expect(toForwarded(raw)).toEqual(['Authorization', 'b', 'X-A', '1', 'X-A', '2']);
  expect(toForwarded(raw, ['authorization'])).toEqual(['X-A', '1', 'X-A', '2']);
});

test('keeps a value that equals the name of a removed header', () => {
  expect(toReturned(['X-A', 'connection', 'Trailer', 'x'])).toEqual(['X-A', 'connection']);
});

test('joins several values of a header', () => {
  expect(findHeader(['A', '1', 'B', 'a', 'a', '2'], 'a')).toBe('1, 2');
  expect(findHeader(['A', '1'], 'b')).toBeUndefined();
});
