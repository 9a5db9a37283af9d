import { expect, test } from 'vitest';
import { createLog, createScrubber } from './log.ts';

test('redacts a secret anywhere in a line', () => {
  const lines: string[] = [];
  const destination = { write: (line: string) => void lines.push(line) };
  const { log, update } = createLog({ level: 'info', secrets: ['my-secret'], destination });
  const cause = new Error('refused Bearer abc.def');
  // What libraries attach to their errors is omitted.
  const err = Object.assign(new Error('wrong: my-secret', { cause }), { request: { a: 'cookie' } });
  log.error({ err, note: { deep: 'my-secret' } }, 'my-secret');
  update('warn', ['another-secret']);
  log.info('not said');
  log.warn('another-secret');
  expect(lines).toHaveLength(2);
  expect(lines.join('')).not.toMatch(/my-secret|another-secret|abc\.def|cookie/);
  expect(JSON.parse(lines[0] as string)).toMatchObject({
    level: 'error',
    msg: '[redacted]',
    err: {
      type: 'Error',
      message: 'wrong: [redacted]',
      cause: { message: 'refused Bearer [redacted]' },
    },
  });
});

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
