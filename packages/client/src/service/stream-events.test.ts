import { describe, expect, it } from 'vitest';
import { createEventParser } from './stream-events.ts';

function parse(...pieces: string[]) {
  const parser = createEventParser('');
  const events = pieces.flatMap((piece) => parser.take(piece));
  return { events, id: parser.id, retry: parser.retry };
}

const data = (...pieces: string[]) => parse(...pieces).events.map((event) => event.data);

describe('createEventParser', () => {
  it.each<[string, string, string[]]>([
    ['one space after the colon', 'data:a\n\ndata: b\n\ndata:  c\n\n', ['a', 'b', ' c']],
    ['comments and unknown fields', ': hi\nfoo: 1\ndata: a\n\n', ['a']],
    ['a field without a colon', 'data\n\ndata\ndata\n\n', ['', '\n']],
    ['an event without data', 'event: a\n\ndata: b\n\n', ['b']],
    ['an event that is not ended', 'data: a\n\ndata: b\n', ['a']],
    ['colons in a value', 'data: a: b\n\n', ['a: b']],
    ['a CR alone', 'data: a\rdata: b\r\r', ['a\nb']],
    ['CR and LF', 'data: a\r\ndata: b\r\n\r\n', ['a\nb']],
    ['line ends that are mixed', 'data: a\n\r\ndata: b\r\rdata: c\r\n\n', ['a', 'b', 'c']],
  ])('supports %s', (_, text, expected) => {
    expect(data(text)).toEqual(expected);
    for (let at = 0; at <= text.length; at += 1)
      expect(data(text.slice(0, at), text.slice(at))).toEqual(expected);
    expect(data(...text)).toEqual(expected);
  });

  it('returns an event as soon as its last line ends, whatever the line ending', () => {
    expect(data('data: a\r\r')).toEqual(['a']);
    expect(data('data: a\r', '\n\r')).toEqual(['a']);
  });

  it('keeps the type for one event, and the ID for all', () => {
    expect(parse('event: a\nid: 1\ndata: x\n\ndata: y\n\n').events).toEqual([
      { event: 'a', data: 'x', id: '1' },
      { event: 'message', data: 'y', id: '1' },
    ]);
  });

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
