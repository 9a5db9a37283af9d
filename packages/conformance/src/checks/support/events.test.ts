import { expect, test } from 'vitest';
import { parseEvents } from './events.ts';

test.each([
  ['', []],
  ['id: 1\ndata: a\n', []],
  ['id: 1\ndata: a\n\nid: 2\nda', [{ id: '1', data: 'a' }]],
  ['id:1\r\ndata:a\r\ndata: b\r\n\r\n', [{ id: '1', data: 'a\nb' }]],
  [': a comment\n\ndata: x\n\n', [{ data: 'x' }]],
  ['data\n\ndata:\n\n', [{ data: '' }, { data: '' }]],
  [
    'event: a\nretry:1\nid:\ndata:  b\ndata\n\n',
    [{ id: '', event: 'a', retry: '1', data: ' b\n' }],
  ],
])('%j', (text, events) => {
  expect(parseEvents(text)).toEqual(events);
});
