import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { expect, test } from 'vitest';
import { isAttachment } from './content-disposition.ts';

const answer = (type?: string) => ({ status: 200, headers: type ? { 'content-type': type } : {} });
const call = (method: string, headers: IncomingHttpHeaders = {}) => ({
  method,
  request: { headers } as IncomingMessage,
});

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
  expect(isAttachment(call(method), answer(type))).toBe(expected);
});

test.each([
  [{ connection: 'keep-alive, Upgrade', upgrade: 'WebSocket' }, false],
  [{ connection: 'Upgrade', upgrade: 'h2c, websocket' }, false],
  [{ connection: 'Upgrade', upgrade: 'h2c' }, true],
  [{ upgrade: 'websocket' }, true],
])('GET with %j: %s', (headers, expected) => {
  expect(isAttachment(call('GET', headers), answer('application/json'))).toBe(expected);
});
