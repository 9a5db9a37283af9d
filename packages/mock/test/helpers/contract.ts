import { createGatewayRouter, createStorageRouter } from '@berth/server-stubs';
import gateway from '@berth/spec/gateway.v1.json' with { type: 'json' };
import storage from '@berth/spec/storage.v2.json' with { type: 'json' };
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { operations } from '../../src/contract/contract.ts';

const ajv = new Ajv2020({ strict: false });
addFormats.default(ajv);
ajv.addSchema(gateway, 'gateway').addSchema(storage, 'storage');
const nobody = () => undefined;
const routers = [
  createGatewayRouter({}, { security: { bearerToken: nobody, signature: nobody } }),
  createStorageRouter({}, { security: { credentials: nobody } }),
];

/** Fails if the contract does not document a JSON response for its call. */
export function expectInContract(
  method: string,
  path: string,
  status: number,
  body: unknown,
): void {
  const name = schemaOf(method, path, status);
  const validate = ajv.getSchema(name);
  if (validate === undefined) throw new Error(`The contract has no schema ${name}.`);
  if (!validate(body)) {
    throw new Error(
      `${method} ${path} ${status} breaks ${name}: ${ajv.errorsText(validate.errors)}`,
    );
  }
}

function schemaOf(method: string, path: string, status: number): string {
  const found = routers.map(({ find }) => find({ method, url: path })).find(Boolean);
  const operation = operations.find(({ id }) => id === found?.operationId);
  if (operation === undefined) {
    return path.startsWith('/api')
      ? 'storage#/components/schemas/ErrorResponse'
      : 'gateway#/components/schemas/GatewayError';
  }
  const { surface, path: template, method: verb } = operation;
  const document = surface === 'gateway' ? 'gateway' : 'storage';
  const source = { gateway, storage }[document] as unknown as {
    paths: Record<string, Record<string, { responses: Record<string, { $ref: string }> }>>;
  };
  const responses = source.paths[template]?.[verb]?.responses ?? {};
  const response = responses[status] ?? responses[`${String(status)[0]}XX`] ?? responses.default;
  return `${document}${response?.$ref}/content/application~1json/schema`;
}
