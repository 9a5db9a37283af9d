import { Readable } from 'node:stream';
import { expect, test } from 'vitest';
import { mayBeSentAgain } from './proxy.ts';

const GET = { method: 'GET', body: null };
const POST = { method: 'POST', body: null };
const STREAM = { method: 'GET', body: Readable.from(['a']) };
const FIRST = { endpoints: [1], attempts: 1, hasRepeated: false, isReused: false };
const REUSED = { ...FIRST, isReused: true };
const TWO = { ...FIRST, endpoints: [1, 2] };
const MANY = { ...FIRST, endpoints: [1, 2, 3, 4, 5] };

const failed = (code: string) => Object.assign(new Error(code), { code });
const RESET = failed('ECONNRESET');

test.each([
  ['a call that was not sent', POST, 'connecting', FIRST, RESET, true],
  ['the same, a second time', POST, 'connecting', { ...FIRST, attempts: 2 }, RESET, false],
  ['one with endpoints left', POST, 'connecting', { ...MANY, attempts: 2 }, RESET, true],
  ['one after three attempts', POST, 'connecting', { ...MANY, attempts: 3 }, RESET, false],
  ['an invalid request', GET, 'connecting', TWO, failed('UND_ERR_INVALID_ARG'), false],
  ['a GET on a new connection', GET, 'sent', FIRST, RESET, false],
  ['a GET on a reused connection', GET, 'sent', REUSED, RESET, true],
  ['a GET, to another endpoint', GET, 'sent', TWO, RESET, true],
  ['a GET that was sent twice', GET, 'sent', { ...MANY, hasRepeated: true }, RESET, false],
  ['a GET that timed out', GET, 'sent', TWO, failed('UND_ERR_HEADERS_TIMEOUT'), false],
  ['a POST on a reused connection', POST, 'sent', REUSED, RESET, false],
  ['a stream', STREAM, 'sent', REUSED, RESET, false],
  ['a GET whose response has begun', GET, 'responding', TWO, RESET, false],
] as const)('decides whether to send again: %s', (_, request, state, attempts, error, expected) => {
  expect(mayBeSentAgain({ request, ...attempts }, error, state)).toBe(expected);
});
