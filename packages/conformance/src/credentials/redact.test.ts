import { expect, test } from 'vitest';
import { spellings } from '../../test/support/spell.ts';
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

const SECRET = 'to/ken+"1"=<&> of the caller';

const redactOne = createRedactor({ values: [SECRET], headers: [] });

test.each(Object.entries(spellings))('a secret %s', (_, spell) => {
  const blanked = redactOne(`a ${spell(SECRET)} b`);
  // In base64 a few characters belong to the neighbours, too.
  expect(blanked).toMatch(/^a .{0,4}\[redacted\].{0,4} b$/);
});

test('redacts the long parts of a secret', () => {
  expect(redact('signed 0123456789abcdef01')).toBe('signed [redacted]');
});

test('redacts secret headers by name, even if the value is short', () => {
  expect(redact({ headers: { 'x-TIME': '17', Authorization: 'any', Accept: 'a/b' } })).toEqual({
    headers: { 'x-TIME': '[redacted]', Authorization: '[redacted]', Accept: 'a/b' },
  });
});

test('a field that is not a header keeps its value', () => {
  expect(redact({ 'x-time': '17' })).toEqual({ 'x-time': '17' });
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

test.each(['http://user:pass-word@127.0.0.1:1', 'nowhere://user:pass-word@x y'])(
  'the login of a proxy %s',
  (proxy) => {
    const shown = createRedactor(listSecrets({ proxy }))('a pass-word, dXNlcjpwYXNzLXdvcmQ= b');
    expect(shown).toBe('a [redacted], [redacted] b');
  },
);
