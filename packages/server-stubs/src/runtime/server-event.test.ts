import { expect, it } from 'vitest';
import { toEventText } from './server-event.ts';

it.each([
  [{ data: 'a' }, 'data: a\n\n'],
  [{ data: 'a\r\nb\rc\n' }, 'data: a\ndata: b\ndata: c\ndata: \n\n'],
  [{ data: '' }, 'data: \n\n'],
  [{ data: { a: 1 } }, 'data: {"a":1}\n\n'],
  [{ event: 'tick', id: '7', retry: 0, data: 1 }, 'retry: 0\nevent: tick\nid: 7\ndata: 1\n\n'],
  [{ id: '' }, 'id: \n\n'],
  [{ comment: 'a\nb', id: 1 }, ': a\n: b\nid: 1\n\n'],
])('%j is written', (event, text) => {
  expect(toEventText(event)).toBe(text);
});

it.each([
  [{ event: 'a\nb' }, "The event's event must be a single line without NUL."],
  [{ id: 'a\rb' }, "The event's id must be a single line without NUL."],
  [{ id: '\0' }, "The event's id must be a single line without NUL."],
  [{ retry: -1 }, "The event's retry must be a whole number of milliseconds."],
  [{ retry: 1.5 }, "The event's retry must be a whole number of milliseconds."],
])('%j is refused by name', (event, message) => {
  expect(() => toEventText(event)).toThrow(new TypeError(message));
});
