import { expect, it } from 'vitest';
import { toEventText } from './server-event.ts';

it.each([
  [{ data: 'a\r\nb\rc\n' }, 'data: a\ndata: b\ndata: c\ndata: \n\n'],
  [{ data: '' }, 'data: \n\n'],
  [{ data: { a: 1 } }, 'data: {"a":1}\n\n'],
  [{ event: 'tick', id: '7', retry: 0, data: 1 }, 'retry: 0\nevent: tick\nid: 7\ndata: 1\n\n'],
  [{ comment: 'a\nb', id: '' }, ': a\n: b\nid: \n\n'],
])('%j is written', (event, text) => {
  expect(toEventText(event)).toBe(text);
});

it.each([{ event: 'a\nb' }, { id: 'a\rb' }, { id: '\0' }, { retry: -1 }, { retry: 1.5 }])(
  '%j is refused by name',
  (event) => {
    expect(() => toEventText(event)).toThrow(`The event's ${Object.keys(event)} must be a`);
  },
);
