import gateway from '@berth/spec/gateway.v1.json' with { type: 'json' };
import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect, test } from 'vitest';
import service from './service.schema.json' with { type: 'json' };
import services from './services.schema.json' with { type: 'json' };

const ajv = new Ajv2020({ strictTypes: false, strictRequired: false })
  .addKeyword('errorMessage')
  .addSchema(service);
const validate = ajv.compile(services);

test('names match those in the contract', () => {
  expect(services.propertyNames.pattern).toBe(gateway.components.schemas.ServiceName.pattern);
});

test('validates a file of several services with the schema of one', () => {
  expect(validate({ orders: { routes: {} } })).toBe(true);
  expect(validate({ orders: { routes: { 'GET /': { status: 99 } } } })).toBe(false);
  expect(validate({ '1': {} })).toBe(false);
});

test('every field has a description', () => {
  const fields = Object.values(service.$defs).flatMap((part) =>
    'properties' in part ? Object.entries(part.properties) : [],
  ) as [string, object][];
  const silent = fields.filter(([, field]) => !('description' in field) && !('$ref' in field));
  expect(silent).toEqual([]);
});
