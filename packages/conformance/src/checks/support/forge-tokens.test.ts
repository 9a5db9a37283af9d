import { expect, test } from 'vitest';
import { forgeTokens } from './forge-tokens.ts';

const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
const SIGNATURE = 'A'.repeat(86);
const JWT = `${part({ alg: 'ES256', kid: 'a' })}.${part({ sub: 'me', aud: 'dev' })}.${SIGNATURE}`;

test('forged tokens differ from the valid token and from each other', () => {
  for (const token of [JWT, 'opaque-token-of-32-letters-AAAAAA', 'a.b.c']) {
    const forged = Object.values(forgeTokens(token));
    expect(new Set([token, ...forged]).size).toBe(forged.length + 1);
  }
});

test('a changed signature differs in its bytes, not only in its padding', () => {
  const [, , changed = ''] = (forgeTokens(JWT)['a token with a changed signature'] ?? '').split(
    '.',
  );
  const bytes = (text: string) => Buffer.from(text, 'base64url');
  expect(bytes(changed)).toHaveLength(bytes(SIGNATURE).length);
  expect(bytes(changed).equals(bytes(SIGNATURE))).toBe(false);
});

test('algorithm none keeps the payload and has no signature', () => {
  const [head = '', payload, signature] = (
    forgeTokens(JWT)['a token with algorithm none'] ?? ''
  ).split('.');
  expect(JSON.parse(Buffer.from(head, 'base64url').toString())).toEqual({ alg: 'none', kid: 'a' });
  expect([payload, signature]).toEqual([JWT.split('.')[1], '']);
});
