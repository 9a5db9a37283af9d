import { expect, test } from 'vitest';
import { createScrubber } from './create-scrubber.ts';

test.each([
  ['{"h":"Bearer abc.def-ghi"}', '{"h":"Bearer [redacted]"}'],
  ['berth.bearer.abc.def, chat', 'berth.bearer.[redacted], chat'],
  [
    'SignedHeaders=host, Signature=ab12, Timestamp=1, Token=x',
    'SignedHeaders=host, Signature=[redacted], Timestamp=1, Token=[redacted]',
  ],
  ['"/files/dev/a?expires=1&sign=abc"', '"/files/dev/a?expires=1&sign=[redacted]"'],
  ['https://s3/a?X-Amz-Signature=12&x=1', 'https://s3/a?X-Amz-Signature=[redacted]&x=1'],
  ['got eyJhbGciOiJFUzI1NiJ9.e30.c2ln', 'got [redacted]'],
  ['nothing to hide: a signature, a token', 'nothing to hide: a signature, a token'],
])('%s', (line, clean) => {
  expect(createScrubber([])(line)).toBe(clean);
});

test('redacts secrets of the configuration, even if encoded in JSON and URLs', () => {
  const scrub = createScrubber(['p"ss w(rd', 'short', 'longer-secret', 'longer-secret-still']);
  expect(scrub(JSON.stringify({ a: 'p"ss w(rd', b: 'longer-secret-still!' }))).toBe(
    '{"a":"[redacted]","b":"[redacted]!"}',
  );
  expect(scrub(encodeURIComponent('p"ss w(rd'))).toBe('[redacted]');
  expect(scrub('a short word')).toBe('a short word');
  scrub.update(['another-one']);
  expect(scrub('longer-secret another-one')).toBe('longer-secret [redacted]');
});
