import { expect, test } from 'vitest';
import { type Schema, toFlatSchema, unwrap } from './documents.ts';

const flat: Schema = { type: 'object', properties: { path: { type: 'string' } } };

const schema: Schema = { 'x-berth-unwrap': 'data', oneOf: [flat, { type: 'object' }] };

test('the flat schema is the first of the two', () => {
  expect(toFlatSchema(schema)).toBe(flat);
  expect(toFlatSchema(flat)).toBe(flat);
});

test.each([
  [{ path: 'a' }, { path: 'a' }],
  [{ data: { path: 'a' } }, { path: 'a' }],
  [{ data: { path: 'a' }, unknown: 1 }, { path: 'a' }],
  [{}, {}],
  ['text', 'text'],
  [null, null],
  [[], []],
])('%j is unwrapped to %j', (body, expected) => {
  expect(unwrap(body, schema)).toEqual({ body: expected });
});

test('both places at once are a fault, and so is a wrapper that is no object', () => {
  expect(unwrap({ data: {}, path: 'a' }, schema)).toEqual({
    fault: 'path stands beside data: send the fields in one of the two places, not in both.',
  });
  for (const data of [null, [], 'a', 1]) {
    expect(unwrap({ data }, schema)).toEqual({
      fault: 'data must be an object that holds the fields.',
    });
  }
});

test('a schema without wrapper leaves data alone', () => {
  expect(unwrap({ data: 1 }, flat)).toEqual({ body: { data: 1 } });
});
