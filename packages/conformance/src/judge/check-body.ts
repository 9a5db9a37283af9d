import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import { APIS, type Api } from '../contract/apis.ts';
import { toPointerSegment } from '../contract/dereference.ts';
import { documents } from '../contract/documents.ts';
import { isJson } from '../contract/media-type.ts';
import type { Answer } from '../http-messages.ts';
import type { Finding } from '../result.ts';
import type { Transaction } from '../transaction.ts';

/** Keywords of OpenAPI and of the contract that say nothing about validity. */
const ANNOTATIONS = ['example', 'xml', 'x-berth-item-pattern', 'x-berth-unwrap'];

// Ajv compiles the document that holds the schemas, so it has to know the keys of its root.
const rootKeys = new Set(APIS.flatMap((api) => Object.keys(documents[api].document)));
const ajv = new Ajv2020({
  allErrors: true,
  strict: true,
  keywords: [...ANNOTATIONS, ...rootKeys],
});
for (const api of APIS) ajv.addSchema(documents[api].document, documents[api].name, false, false);

/**
 * Checks a body against the full schema of a documented answer. Only JSON and text have a schema to
 * check; other content is bytes.
 */
export function checkBody(documented: Transaction, answer: Answer): Finding[] {
  const { api, contentType } = documented;
  if (contentType === undefined) return [];
  const where = `${documented.pointer}/content/${toPointerSegment(contentType)}/schema`;
  const validate = findValidator(api, where);
  if (validate === undefined) return [];
  const body = isJson(contentType) ? parse(answer.body) : answer.body;
  if (body === undefined) {
    return [{ message: 'the body must be JSON', where: `${documents[api].name} ${where}` }];
  }
  if (validate(body)) return [];
  return (validate.errors ?? []).map((error) => toFinding(api, where, error));
}

/** The JSON of a body, or `undefined` where it is none. */
export function parse(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}

function findValidator(api: Api, pointer: string): ValidateFunction | undefined {
  return ajv.getSchema(`${documents[api].name}${pointer}`);
}

function toFinding(api: Api, where: string, error: ErrorObject): Finding {
  const place = error.instancePath.slice(1).replaceAll('/', '.') || 'the body';
  const { name } = documents[api];
  // Ajv counts from the root of the document where it followed a `$ref`, else from the schema.
  const path = error.schemaPath.slice(error.schemaPath.indexOf('#'));
  const pointer = path.startsWith('#/components/') ? path : `${where}${path.slice(1)}`;
  return { message: `${place} ${error.message}`, where: `${name} ${pointer}` };
}
