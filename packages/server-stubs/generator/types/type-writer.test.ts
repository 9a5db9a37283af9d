import { describe, expect, it } from 'vitest';
import { Problems } from '../document.ts';
import type { SchemaObject } from '../schema/schema.ts';
import { type Direction, SchemaStore } from '../schema/schema-store.ts';

import { toType } from './schema-types.ts';

const document = { components: { schemas: { Pet: { type: 'object' } } } };
const REF = { $ref: '#/components/schemas/Pet' };

function write(schema: SchemaObject, direction: Direction = 'response'): string {
  const store = new SchemaStore({ document, is30: false, problems: new Problems() });
  return toType(schema, { store, direction, toName: () => 'Pet' }).replace(/\s+/g, ' ');
}

describe('toType', () => {
  it.each([
    [{}, 'unknown'],
    [{ type: ['integer', 'number', 'null'] }, 'number | null'],
    [{ enum: ['a', 1, null] }, "'a' | 1 | null"],
    [{ const: { a: [1] } }, '{ a: [1] }'],
    [{ type: 'array', items: { type: ['string', 'null'] } }, '(string | null)[]'],
    [{ type: 'array' }, 'unknown[]'],
    [{ prefixItems: [{ type: 'string' }, {}], minItems: 1 }, '[string, (unknown)?, ...unknown[]]'],
    [{ type: 'object' }, '{ [name: string]: unknown; }'],
    [{ type: 'object', additionalProperties: false }, '{ [name: string]: never }'],
    [{ additionalProperties: { type: 'number' } }, '{ [name: string]: number; }'],
    [{ allOf: [REF, { required: ['name'] }] }, 'Pet & { name: unknown; }'],
    [
      { oneOf: [REF, { type: 'string' }], type: 'object', properties: { a: {} } },
      '{ a?: unknown; } & (Pet | string)',
    ],
    [{ anyOf: [REF, {}] }, 'unknown'],
  ])('%j', (schema, type) => {
    expect(write(schema as SchemaObject)).toBe(type);
  });

  it('closes objects with named properties, unless a schema is given for the others', () => {
    const properties = { a: { type: 'string' } };
    expect(write({ properties })).toBe('{ a?: string; }');
    expect(write({ properties, additionalProperties: true })).toBe('{ a?: string; }');
    expect(write({ properties, additionalProperties: REF })).toBe(
      '{ a?: string; [name: string]: unknown; }',
    );
  });

  it('omits properties that are not for this direction', () => {
    const schema = {
      required: ['id', 'key'],
      properties: { id: { readOnly: true }, key: { writeOnly: true } },
    };
    expect(write(schema, 'request')).toBe('{ key: unknown; }');
    expect(write(schema, 'response')).toBe('{ id: unknown; }');
  });

  it('distinguishes choices by the tags of a mapping', () => {
    const discriminator = { propertyName: 'kind', mapping: { pet: 'Pet', animal: 'Pet' } };
    expect(write({ oneOf: [REF], discriminator })).toBe("(Pet & { kind: 'pet' | 'animal' })");
  });

  it('includes the description of a property', () => {
    const properties = {
      a: { type: 'string', description: 'Ends */ here.', default: 'x', deprecated: true },
    };
    expect(write({ properties })).toBe(
      '{ /** * Ends *\\/ here. * * @default "x" * * @deprecated */ a?: string; }',
    );
  });
});
