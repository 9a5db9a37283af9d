import { expect, test } from 'vitest';
import { isAttachment } from './content-disposition.ts';

const answer = (type?: string) => ({ status: 200, headers: type ? { 'content-type': type } : {} });

test.each([
  ['GET', 'application/json', true],
  ['HEAD', 'text/plain', true],
  ['GET', 'text/event-stream; charset=utf-8', false],
  ['POST', 'text/event-stream', false],
  ['POST', 'application/json; charset=utf-8', false],
  ['POST', 'Text/Plain', false],
  ['POST', 'application/x-www-form-urlencoded', false],
  ['POST', 'text/html', true],
  ['POST', 'application/problem+json', true],
  ['POST', undefined, true],
])('%s %s: %s', (method, type, expected) => {
  expect(isAttachment(method, answer(type))).toBe(expected);
});
