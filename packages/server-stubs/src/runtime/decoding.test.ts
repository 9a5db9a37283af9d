import { expect, it } from 'vitest';
import { findContent } from './decoding.ts';

it('prefers the narrowest range', () => {
  const content = ['*/*', 'text/*', 'text/html'].map((mediaType) => ({ mediaType }));
  expect(findContent(content, 'text/html')?.mediaType).toBe('text/html');
  expect(findContent(content, 'text/css')?.mediaType).toBe('text/*');
  expect(findContent(content, 'image/png')?.mediaType).toBe('*/*');
  expect(findContent(content.slice(1), 'image/png')).toBeUndefined();
});
