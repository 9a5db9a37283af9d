import { expect, test } from 'vitest';
import { toPrismHeaders } from './consult.ts';

test.each([
  [undefined, 'application/json,*/*'],
  ['*/*', 'application/json,*/*'],
  ['text/html, */*;q=0.5', 'text/html,application/json;q=0.5, */*;q=0.5'],
  ['text/plain', 'text/plain'],
  ['foo, text/plain; level, text/plain', ' text/plain'],
  ['foo', 'application/json,*/*'],
])('Accept: %s', (accept, expected) => {
  expect(toPrismHeaders(accept === undefined ? {} : { accept }).accept).toBe(expected);
});

test('Content-Type is left out, the rest stays', () => {
  expect(toPrismHeaders({ 'content-type': 'x', 'last-event-id': '4', accept: 'a/b' })).toEqual({
    'last-event-id': '4',
    accept: 'a/b',
  });
});
