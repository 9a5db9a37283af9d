import { expect, it } from 'vitest';
import { redact } from './failures.ts';

it('takes out a secret wherever it stands, with and without its scheme', () => {
  expect(redact('Bearer abc is bad, abc!', ['Bearer abc'])).toBe('[redacted] is bad, [redacted]!');
});

it('takes out the signature and the token within a secret', () => {
  const secret = '1.0 TC3 Credential=id, SignedHeaders=host, Signature=abc, Token=t-1';
  expect(redact('abc and t-1 of id', [secret])).toBe('[redacted] and [redacted] of id');
  expect(redact('s-2 at b', ['https://h/?bucket=b&q-signature=s-1', '/?sign=s-2'])).toBe(
    '[redacted] at b',
  );
});

it('leaves a text without secrets as it is', () => {
  expect(redact('a b c', ['', 'x'])).toBe('a b c');
});
