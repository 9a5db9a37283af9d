import { expect, test } from 'vitest';
import { createRedactor, listSecrets } from './redact.ts';

const redact = createRedactor(
  listSecrets({
    gatewayToken: 'to/ken+"1"',
    storageHeaders: {
      'X-Auth': '1.0 TC3 Signature=0123456789abcdef01',
      'X-Time': '17',
      'X-No': '',
    },
  }),
);

test.each([
  ['as it is', 'a to/ken+"1" b'],
  ['JSON-escaped', 'a to/ken+\\"1\\" b'],
  ['percent-encoded', 'a to%2Fken%2B%221%22 b'],
  ['in base64', `a ${Buffer.from('to/ken+"1"').toString('base64')} b`],
])('a secret %s', (_, text) => {
  expect(redact(text)).toBe('a [redacted] b');
});

test('the long pieces of a secret', () => {
  expect(redact('signed 0123456789abcdef01')).toBe('signed [redacted]');
});

test('headers by name, also where their value is short', () => {
  expect(redact({ headers: { 'x-TIME': '17', Authorization: 'any', Accept: 'a/b' } })).toEqual({
    headers: { 'x-TIME': '[redacted]', Authorization: '[redacted]', Accept: 'a/b' },
  });
});

test('a field that is no header keeps its value', () => {
  expect(redact({ 'x-time': '17' })).toEqual({ 'x-time': '17' });
});

test('short values do not blank ordinary text', () => {
  expect(redact({ count: 17, text: '17 files' })).toEqual({ count: 17, text: '17 files' });
});
