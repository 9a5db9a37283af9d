import { describe, expect, it } from 'vitest';
import { toClosedObjects } from './to-closed-objects.ts';

describe('toClosedObjects', () => {
  it('drops the keyword where properties are named, at any depth', () => {
    const open = { properties: { a: { properties: {}, additionalProperties: true } } };
    expect(toClosedObjects([{ ...open, additionalProperties: true }])).toEqual([
      { properties: { a: { properties: {} } } },
    ]);
  });

  it('keeps free-form objects, schemas and false', () => {
    for (const schema of [
      { type: 'object', additionalProperties: true },
      { properties: {}, additionalProperties: false },
      { properties: {}, additionalProperties: { type: 'string' } },
    ]) {
      expect(toClosedObjects(schema)).toEqual(schema);
    }
  });

  it('keeps a property that is itself named additionalProperties', () => {
    const schema = { properties: { additionalProperties: { type: 'boolean' } } };
    expect(toClosedObjects(schema)).toEqual(schema);
  });

  it('does not change its argument', () => {
    const document = Object.freeze({ properties: {}, additionalProperties: true });
    toClosedObjects(document);
    expect(document.additionalProperties).toBe(true);
  });
});
