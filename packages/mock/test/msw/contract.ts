import gateway from '@berth/spec/gateway.v1.json' with { type: 'json' };
import storage from '@berth/spec/storage.v2.json' with { type: 'json' };
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';

const ajv = new Ajv2020({ strict: false });
addFormats.default(ajv);
ajv.addSchema(gateway, 'gateway').addSchema(storage, 'storage');

/** Fails if a value does not match a schema in one of the documents. */
export function expectInContract(document: 'gateway' | 'storage', schema: string, value: unknown) {
  const validate = ajv.getSchema(`${document}#/components/schemas/${schema}`);
  if (validate === undefined) throw new Error(`The contract has no schema ${schema}.`);
  if (!validate(value)) throw new Error(`It breaks ${schema}: ${ajv.errorsText(validate.errors)}`);
}
