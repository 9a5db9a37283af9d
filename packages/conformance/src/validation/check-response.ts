import { Ajv2020, type ErrorObject } from 'ajv/dist/2020.js';
import {
  APIS,
  type Api,
  type Contract,
  type DocumentedResponse,
  dereference,
  findByContentType,
  findResponses,
  joinPointer,
} from '../contract/openapi.ts';
import type { Received } from '../http/exchange.ts';
import { isJson } from '../http/media-type.ts';
import type { Finding } from '../result.ts';

/** Keywords of OpenAPI and of the contract that do not validate. */
const ANNOTATIONS = ['example', 'xml', 'x-berth-item-pattern', 'x-berth-unwrap'];

type Operation = Pick<DocumentedResponse, 'api' | 'operationId'>;

/** Checks responses against the documents of a deployment. */
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

  /**
   * Checks a response's media type, body and required headers against the contract for its status. The caller
   * must check whether that status was expected.
   */
  checkResponse(operation: Operation, received: Received): Finding[] {
    const status = toDocumented(operation, received.status);
    const candidates = findResponses(this.#contract, operation, status);
    const [first] = candidates;
    const { name } = this.#contract.documents[operation.api];
    if (first === undefined) {
      return [{ message: `the status ${received.status} is not documented`, where: name }];
    }
    const contentType = received.header('content-type');
    const documented = findByContentType(candidates, contentType);
    if (documented) {
      return [
        ...this.#checkHeaders(documented, received),
        ...this.#checkBody(documented, received),
      ];
    }
    const expected = candidates.map((entry) => entry.contentType ?? 'no content').join(' or ');
    return [
      ...this.#checkHeaders(first, received),
      {
        message: `the content type must be ${expected}, not ${contentType ?? 'absent'}`,
        where: `${name} ${first.pointer}/content`,
      },
    ];
  }

  /** Returns whether a document has an operation with this ID. */
  hasOperation(api: Api, operationId: string): boolean {
    return this.#contract.responses.some(
      (each) => each.api === api && each.operationId === operationId,
    );
  }

  /** Checks a body against its schema. Only JSON and text have one; other content is not checked. */
  #checkBody({ api, contentType, pointer }: DocumentedResponse, received: Received): Finding[] {
    if (contentType === undefined) return [];
    const { name } = this.#contract.documents[api];
    const where = joinPointer(pointer, 'content', contentType, 'schema');
    const validate = this.#ajv.getSchema(`${name}${where}`);
    if (validate === undefined) return [];
    const body = isJson(contentType) ? received.json : received.text;
    if (body === undefined) {
      return [{ message: 'the body must be JSON', where: `${name} ${where}` }];
    }
    validate(body);
    return (validate.errors ?? []).map((error) => toFinding(name, where, error));
  }

  /** Checks that each header that the documented response requires is present and not empty. */
  #checkHeaders({ api, response, pointer }: DocumentedResponse, received: Received): Finding[] {
    const { document, name } = this.#contract.documents[api];
    return Object.entries(response.headers ?? {}).flatMap(([header, node]) => {
      const found = dereference(document, node, `${pointer}/headers/${header}`);
      if (!found.value.required || received.header(header)) return [];
      return [{ message: `the ${header} header is required`, where: `${name} ${found.pointer}` }];
    });
  }
}

function toFinding(name: string, where: string, error: ErrorObject): Finding {
  const place = error.instancePath.slice(1).replaceAll('/', '.') || 'the body';
  // Ajv counts from the root of the document if it followed a `$ref`, otherwise from the schema.
  const path = error.schemaPath.slice(error.schemaPath.indexOf('#'));
  const pointer = path.startsWith('#/components/') ? path : `${where}${path.slice(1)}`;
  return { message: `${place} ${error.message}`, where: `${name} ${pointer}` };
}

/**
 * Returns the status whose documented response applies. A storage call other than a copy may succeed with any
 * 2xx, so the response for 200 applies (D20).
 */
export function toDocumented({ api, operationId }: Operation, status: number): number {
  const isFree = api === 'storage' && operationId !== 'batchCopyFile';
  return isFree && status >= 200 && status < 300 ? 200 : status;
}
