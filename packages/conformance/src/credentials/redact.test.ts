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

test('redacts the long parts of a secret', () => {
  expect(redact('signed 0123456789abcdef01')).toBe('signed [redacted]');
});

test('redacts secret headers by name, even if the value is short', () => {
  expect(redact({ headers: { 'x-TIME': '17', Authorization: 'any', Accept: 'a/b' } })).toEqual({
    headers: { 'x-TIME': '[redacted]', Authorization: '[redacted]', Accept: 'a/b' },
  });
});

test('short secrets do not redact ordinary text', () => {
  expect(redact({ count: 17, text: '17 files' })).toEqual({ count: 17, text: '17 files' });
});

test('overlapping secrets are redacted together', () => {
  const both = createRedactor({ values: ['abcdef', 'defghi'], headers: [] });
  expect(both('x abcdefghi y')).toBe('x [redacted] y');
});

test('redacts the beginning of a secret at the end of a truncated body', () => {
  expect(redact({ body: 'signed 0123456789abc', bodySize: 90 }).body).toBe('signed [redacted]');
  expect(redact({ body: 'signed 0123456789abc' }).body).toBe('signed 0123456789abc');
});

test('redacts the signature of a single call', () => {
  const text = `TC3 Credential=id, Signature=${'0f'.repeat(32)}, Timestamp=1`;
  expect(redact(text)).toBe('TC3 Credential=id, Signature=[redacted], Timestamp=1');
});
