import { expect, test } from 'vitest';
import { toDisposition } from './to-disposition.ts';

test.each([
  ['a/summary.txt', 'attachment; filename="summary.txt"'],
  ['My file; really.txt', 'attachment; filename="My file; really.txt"'],
  ['年.txt', `attachment; filename="_.txt"; filename*=UTF-8''%E5%B9%B4.txt`],
  ['😀.txt', `attachment; filename="_.txt"; filename*=UTF-8''%F0%9F%98%80.txt`],
  [
    `a"b\\c%41'(*).txt`,
    `attachment; filename="a_b_c_41'(*).txt"; filename*=UTF-8''a%22b%5Cc%2541%27%28%2A%29.txt`,
  ],
])('%s', (path, header) => {
  expect(toDisposition(path)).toBe(header);
});

test('a name cannot end the header', () => {
  expect(toDisposition('a\r\nSet-Cookie: b=c')).toBe(
    `attachment; filename="a__Set-Cookie: b=c"; filename*=UTF-8''a%0D%0ASet-Cookie%3A%20b%3Dc`,
  );
});
