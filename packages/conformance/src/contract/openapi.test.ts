import { expect, test } from 'vitest';
import { dereference, type OpenapiDocument, toPointerSegment } from './openapi.ts';

const document = {
  components: { a: { $ref: '#/components/b' }, b: { 'x/y': { value: 1 } } },
} as unknown as OpenapiDocument;

test('chains of references are followed', () => {
  expect(dereference(document, { $ref: '#/components/a' }, '#/here')).toEqual({
    value: { 'x/y': { value: 1 } },
    pointer: '#/components/b',
  });
});

test('segments are escaped as in RFC 6901', () => {
  const $ref = `#/components/b/${toPointerSegment('x/y')}`;
  expect($ref).toBe('#/components/b/x~1y');
  expect(dereference(document, { $ref }, '').value).toEqual({ value: 1 });
});

test('a value that is not a reference keeps its pointer', () => {
  expect(dereference(document, { value: 2 }, '#/here').pointer).toBe('#/here');
});

test('a reference that cannot be resolved is an error', () => {
  expect(() => dereference(document, { $ref: '#/components/c' }, '#/here')).toThrow(
    '#/here: #/components/c cannot be resolved',
  );
});
