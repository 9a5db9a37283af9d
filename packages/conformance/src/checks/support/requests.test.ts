import storage from '@berth/spec/storage.v2.json' with { type: 'json' };
import { Ajv2020 } from 'ajv/dist/2020.js';
import { assert, property } from 'fast-check';
import { expect, test } from 'vitest';
import type { CheckContext } from '../../context/check-context.ts';
import { STORAGE_OPERATIONS, type StorageOperation } from '../../context/storage-client.ts';
import {
  brokenJson,
  lackingRequest,
  sampleRequest,
  validRequest,
  wrongTypeRequest,
} from './requests.ts';

const t = {
  storage: {
    path: (name: string) => `folder/${name}`,
    copyPath: (path: string) => `/${path}`,
    maxAge: (seconds: number) => seconds,
  },
} as unknown as CheckContext;

const ajv = new Ajv2020({ strict: false }).addSchema(storage, 'storage', false, false);

function validateRequest(operation: StorageOperation): (fields: unknown) => boolean {
  const path = Object.values(storage.paths).find(({ post }) => post.operationId === operation);
  const name = path?.post.requestBody.$ref
    .split('/')
    .at(-1) as keyof typeof storage.components.requestBodies;
  const at = `storage#/components/requestBodies/${name}/content/application~1json/schema/oneOf/0`;
  const validate = ajv.compile({ $ref: at });
  return (fields) => validate(fields);
}

test.each(STORAGE_OPERATIONS)(
  '%s: valid requests match the schema of the contract',
  (operation) => {
    const validate = validateRequest(operation);
    assert(property(validRequest(t, operation), (request) => validate(request)));
    expect(validate(sampleRequest(t, operation))).toBe(true);
    expect(validate(sampleRequest(t, operation, 'file-id'))).toBe(true);
  },
);

test.each(STORAGE_OPERATIONS)('%s: requests with a fault do not match the schema', (operation) => {
  const validate = validateRequest(operation);
  assert(property(wrongTypeRequest(t, operation), ({ fields }) => !validate(fields)));
  assert(property(lackingRequest(operation), ({ fields }) => !validate(fields)));
});

test('broken JSON is invalid, but resembles valid JSON', () => {
  const text = JSON.stringify(sampleRequest(t, 'batchDelete'));
  assert(
    property(brokenJson(text), (broken) => {
      expect(() => JSON.parse(broken)).toThrow(SyntaxError);
    }),
  );
});
