import { expect, it } from 'vitest';
import { charsetOf, findContent } from './decoding.ts';

it.each([
  ['application/json', undefined],
  [' Application/JSON ; charset="UTF-8"', 'utf-8'],
  ['text/plain;charset=ISO-8859-1;x=y', 'iso-8859-1'],
  ['', undefined],
])('reads the charset of %s', (header, charset) => {
  expect(charsetOf(header)).toBe(charset);
});

it('prefers the narrowest range', () => {
  const content = ['*/*', 'text/*', 'text/html'].map((mediaType) => ({ mediaType }));
  expect(findContent(content, 'text/html')?.mediaType).toBe('text/html');
  expect(findContent(content, 'text/css')?.mediaType).toBe('text/*');
  expect(findContent(content, 'image/png')?.mediaType).toBe('*/*');
  expect(findContent(content.slice(1), 'image/png')).toBeUndefined();
});
