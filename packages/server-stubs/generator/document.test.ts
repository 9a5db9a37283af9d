import { describe, expect, it } from 'vitest';
import { join, toNames, valueAt } from './document.ts';

describe('pointers', () => {
  it('escape and unescape names', () => {
    const pointer = join('#/paths', '/a~b', 'get', 0);
    expect(pointer).toBe('#/paths/~1a~0b/get/0');
    expect(toNames(pointer)).toEqual(['paths', '/a~b', 'get', '0']);
  });

  it('resolve to values, but never into prototypes', () => {
    const document = { paths: { '/a': [{ b: 1 }] } };
    expect(valueAt(document, '#/paths/~1a/0/b')).toBe(1);
    expect(valueAt(document, '#')).toBe(document);
    expect(valueAt(document, '#/paths/toString')).toBeUndefined();
    expect(valueAt(document, '#/paths/~1a/0/b/c')).toBeUndefined();
  });
});
