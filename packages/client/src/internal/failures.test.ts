import { expect, it } from 'vitest';
import { redact } from './failures.ts';

it('redacts a secret anywhere in the text, with and without its scheme', () => {
  expect(redact('Bearer abc is bad, abc!', ['Bearer abc'])).toBe('[redacted] is bad, [redacted]!');
});

it('redacts the signature and the token within a secret', () => {
  const secret = '1.0 TC3 Credential=id, SignedHeaders=host, Signature=abc, Token=t-1';
  expect(redact('abc and t-1 of id', [secret])).toBe('[redacted] and [redacted] of id');
  expect(redact('s-2 at b', ['https://h/?bucket=b&q-signature=s-1', '/?sign=s-2'])).toBe(
    '[redacted] at b',
  );
});

it('does not change a text without secrets', () => {
  expect(redact('a b c', ['', 'x'])).toBe('a b c');
});
