import { expect, it } from 'vitest';
import { findContent, toMediaType } from './media-type.ts';

it.each([
  ['application/json', 'application/json', undefined],
  [' Application/JSON ; charset="UTF-8"', 'application/json', 'utf-8'],
  ['text/plain;charset=ISO-8859-1;x=y', 'text/plain', 'iso-8859-1'],
  ['', '', undefined],
])('takes %s apart', (header, type, charset) => {
  expect(toMediaType(header)).toEqual({ type, charset });
});

it('prefers the most narrow range', () => {
  const content = ['*/*', 'text/*', 'text/html'].map((mediaType) => ({ mediaType }));
  expect(findContent(content, 'text/html')?.mediaType).toBe('text/html');
  expect(findContent(content, 'text/css')?.mediaType).toBe('text/*');
  expect(findContent(content, 'image/png')?.mediaType).toBe('*/*');
  expect(findContent(content.slice(1), 'image/png')).toBeUndefined();
});
