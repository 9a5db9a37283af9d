import { Ajv2020, type ErrorObject } from 'ajv/dist/2020.js';
import {
  APIS,
  type Contract,
  type DocumentedResponse,
  dereference,
  findResponse,
  joinPointer,
} from '../contract/openapi.ts';
import type { Received } from '../http/exchange.ts';
import { toMediaType } from '../http/media-type.ts';
import type { Finding } from '../results/result.ts';

/** Keywords of OpenAPI and of the contract that do not validate. */
const ANNOTATIONS = ['example', 'xml', 'x-berth-item-pattern', 'x-berth-unwrap'];

type Operation = Pick<DocumentedResponse, 'api' | 'operationId'>;

export class ResponseValidator {
  readonly #contract: Contract;
  readonly #ajv: Ajv2020;

  constructor(contract: Contract) {
    this.#contract = contract;
    const { documents } = contract;
    // Ajv compiles the document that contains the schemas, so it must know its top-level keys.
    const rootKeys = new Set(APIS.flatMap((api) => Object.keys(documents[api].document)));
    const keywords = [...ANNOTATIONS, ...rootKeys];
    this.#ajv = new Ajv2020({ allErrors: true, strict: true, keywords });
    for (const api of APIS) {
      this.#ajv.addSchema(documents[api].document, documents[api].name, false, false);
    }
  }

  checkResponse(operation: Operation, received: Received): Finding[] {
    const status = toDocumented(operation, received.status);
    const documented = findResponse(this.#contract, operation, status, received.mediaType);
    const { name, document } = this.#contract.documents[operation.api];
    if (documented === undefined) {
      return [{ message: `the status ${received.status} is not documented`, where: name }];
    }
    const { contentType, pointer, response } = documented;
    const findings = Object.entries(response.headers ?? {}).flatMap(([header, node]) => {
      const found = dereference(document, node, `${pointer}/headers/${header}`);
      if (!found.value.required || received.header(header)) return [];
      return [{ message: `the ${header} header is required`, where: `${name} ${found.pointer}` }];
    });
    if (contentType === undefined) return findings;
    const actual = received.header('content-type');
    const where = joinPointer(pointer, 'content', contentType, 'schema');
    if (actual === undefined || toMediaType(actual) !== contentType) {
      const found = actual === undefined ? 'but it is missing' : `not ${actual}`;
      const message = `the content type must be ${contentType}, ${found}`;
      findings.push({ message, where: `${name} ${pointer}/content` });
    } else if (received.json === undefined) {
      findings.push({ message: 'the body must be JSON', where: `${name} ${where}` });
    } else {
      const validate = this.#ajv.getSchema(`${name}${where}`);
      validate?.(received.json);
      findings.push(...(validate?.errors ?? []).map((error) => toFinding(name, where, error)));
    }
    return findings;
  }
}

function toFinding(name: string, where: string, error: ErrorObject): Finding {
  const place = error.instancePath.slice(1).replaceAll('/', '.') || 'the body';
  // Ajv counts from the root of the document if it followed a `$ref`, otherwise from the schema.
  const path = error.schemaPath.slice(error.schemaPath.indexOf('#'));
  const pointer = path.startsWith('#/components/') ? path : `${where}${path.slice(1)}`;
  return { message: `${place} ${error.message}`, where: `${name} ${pointer}` };
}

/** A storage call other than a copy may succeed with any 2xx, so the response for 200 applies (D20). */
export function toDocumented({ api, operationId }: Operation, status: number): number {
  const allowsAny2xx = api === 'storage' && operationId !== 'batchCopyFile';
  return allowsAny2xx && status >= 200 && status < 300 ? 200 : status;
}
