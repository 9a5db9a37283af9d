import { expect, test } from 'vitest';
import { chooseType } from './hello-service.ts';

test.each([
  [undefined, 'application/json'],
  ['*/*', 'application/json'],
  ['text/html', 'application/json'],
  ['application/json, text/plain, */*', 'application/json'],
  ['application/json, text/plain, text/event-stream', 'application/json'],
  ['text/html, Text/Plain; charset=utf-8', 'text/plain'],
  ['text/event-stream', 'text/event-stream'],
])('%s gives %s', (accept, type) => {
  expect(chooseType(accept)).toBe(type);
});
