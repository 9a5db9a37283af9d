import { describe, expect, it } from 'vitest';
import { createEventParser } from './stream-events.ts';

function parse(...pieces: string[]) {
  const parser = createEventParser('');
  const events = pieces.flatMap((piece) => parser.take(piece));
  return { events, id: parser.id, retry: parser.retry };
}

describe('createEventParser', () => {
  it('uses an ID only when its event ends, and none with a NULL', () => {
    expect(parse('id: 1\n\nid: 2\ndata: x').id).toBe('1');
    expect(parse('id: 1\n\nid: 2\0\n\n').id).toBe('1');
    expect(parse('id: 1\n\nid\n\n').id).toBe('');
  });

  it('ignores an ID that is not valid in a header', () => {
    expect(parse('id: 1\n\nid: a\u0001b\n\nid: \u007f\n\n').id).toBe('1');
    expect(parse('id: a\tb é\n\n').id).toBe('a\tb é');
  });

  it('accepts a retry only if it is all digits', () => {
    expect(parse('retry: 15\n').retry).toBe(15);
    expect(parse('retry: 1.5\nretry: -1\nretry\nfoo: 15\n').retry).toBeUndefined();
  });

  it('parses a long line in linear time', () => {
    const parser = createEventParser('');
    const piece = 'x'.repeat(1000);
    for (let count = 0; count < 20_000; count += 1) parser.take(count === 0 ? 'data:' : piece);
    expect(parser.take('\n\n')[0]?.data.length).toBe(19_999_000);
  });
});
