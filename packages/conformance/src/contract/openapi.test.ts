import { expect, test } from 'vitest';
import { dereference, type OpenapiDocument, toPointerSegment } from './openapi.ts';

const document = {
  components: { a: { $ref: '#/components/b' }, b: { 'x/y': { value: 1 } } },
} as unknown as OpenapiDocument;

test('references are followed to their end', () => {
  expect(dereference(document, { $ref: '#/components/a' }, '#/here')).toEqual({
    value: { 'x/y': { value: 1 } },
    pointer: '#/components/b',
  });
});

test('segments are escaped as RFC 6901 says', () => {
  const $ref = `#/components/b/${toPointerSegment('x/y')}`;
  expect($ref).toBe('#/components/b/x~1y');
  expect(dereference(document, { $ref }, '').value).toEqual({ value: 1 });
});

test('a value that is not a reference keeps its place', () => {
  expect(dereference(document, { value: 2 }, '#/here').pointer).toBe('#/here');
});

test('a reference that cannot be resolved is an error', () => {
  expect(() => dereference(document, { $ref: '#/components/c' }, '#/here')).toThrow(
    '#/here: #/components/c cannot be resolved',
  );
});
