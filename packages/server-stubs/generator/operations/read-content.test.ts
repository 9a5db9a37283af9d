import { describe, expect, it } from 'vitest';
import { toContentKind } from './read-content.ts';

describe('toContentKind', () => {
  it.each([
    ['application/json', 'json'],
    ['application/json; charset=utf-8', 'json'],
    ['application/problem+json', 'json'],
    ['application/vnd.github.v3.star+json', 'json'],
    ['application/x-www-form-urlencoded', 'form'],
    ['multipart/form-data', 'binary'],
    ['text/plain', 'text'],
    ['text/event-stream', 'text'],
    ['application/xml', 'text'],
    ['application/problem+xml', 'text'],
    ['application/octet-stream', 'binary'],
    ['image/png', 'binary'],
    ['*/*', 'binary'],
  ])('%s is %s', (mediaType, kind) => {
    expect(toContentKind(mediaType, false)).toBe(kind);
  });

  it('reads a range as JSON if the schema allows more than text', () => {
    expect(toContentKind('*/*', true)).toBe('json');
    expect(toContentKind('application/*', true)).toBe('json');
  });
});
