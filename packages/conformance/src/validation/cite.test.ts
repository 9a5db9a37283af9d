import { expect, test } from 'vitest';
import { cite } from './cite.ts';

test.each([
  [undefined, 'missing'],
  ['', '""'],
  ['a "b"', 'a "b"'],
  ['x'.repeat(256), `${'x'.repeat(200)}… (256 characters)`],
])('%j', (text, cited) => {
  expect(cite(text)).toBe(cited);
});
