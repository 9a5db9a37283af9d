import storage from '@berth/spec/storage.v2.json' with { type: 'json' };
import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect } from 'vitest';

const ajv = new Ajv2020({ strict: false, allErrors: true });
ajv.addSchema(storage, 'storage');

/** Validates a value against a schema in the storage document with Ajv. */
export function expectDocumented(value: unknown, schema: keyof typeof storage.components.schemas) {
  const validate = ajv.getSchema(`storage#/components/schemas/${schema}`);
  expect(validate, schema).toBeTypeOf('function');
  validate?.(value);
  expect(validate?.errors ?? [], schema).toEqual([]);
}
