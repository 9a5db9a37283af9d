import { expect, it } from 'vitest';
import { redact } from './redact.ts';

it('takes out a secret wherever it stands, with and without its scheme', () => {
  expect(redact('Bearer abc is bad, abc!', ['Bearer abc'])).toBe('[redacted] is bad, [redacted]!');
});

it('leaves a text without secrets as it is', () => {
  expect(redact('a b c', ['', 'x'])).toBe('a b c');
});
