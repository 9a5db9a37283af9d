import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import { documents, type Transaction, transactions } from '../contract/documents.ts';
import { APIS, type Api, dereference, type Header, toPointerSegment } from '../contract/openapi.ts';
import { findByContentType, findByStatus } from '../contract/operations.ts';
import type { Received } from '../http/exchange.ts';
import { isJson, listDispositionTypes, toMediaType } from '../http/media-type.ts';
import type { Finding, Verdict } from '../result.ts';

/** Keywords of OpenAPI and of the contract that do not validate. */
const ANNOTATIONS = ['example', 'xml', 'x-berth-item-pattern', 'x-berth-unwrap'];

// Ajv compiles the document that contains the schemas, so it must know its top-level keys.
const rootKeys = new Set(APIS.flatMap((api) => Object.keys(documents[api].document)));

const ajv = new Ajv2020({
  allErrors: true,
  strict: true,
  keywords: [...ANNOTATIONS, ...rootKeys],
});

for (const api of APIS) ajv.addSchema(documents[api].document, documents[api].name, false, false);

/**
 * Returns a schema of the contract that validates synchronously.
 *
 * @param where document and JSON pointer: `storage.v2#/components/schemas/FileId`
 */
export function findSchema(where: string): ValidateFunction | undefined {
  return ajv.getSchema(where) as ValidateFunction | undefined;
}

/**
 * Checks a response's media type, body and required headers against the contract for its status. The caller
 * must check whether that status was expected.
 */
export function checkResponse(transaction: Transaction, received: Received): Finding[] {
  const candidates = listByStatus(transaction, received.status);
  const [first] = candidates;
  const { name } = documents[transaction.api];
  if (first === undefined) {
    return [{ message: `the status ${received.status} is not documented`, where: name }];
  }
  const contentType = received.header('content-type');
  const documented = findByContentType(candidates, contentType) as Transaction | undefined;
  if (documented)
    return [...checkHeaders(documented, received), ...checkBody(documented, received)];
  const wanted = candidates.map((entry) => entry.contentType ?? 'no content').join(' or ');
  return [
    ...checkHeaders(first, received),
    {
      message: `the content type must be ${wanted}, not ${contentType ?? 'absent'}`,
      where: `${name} ${first.pointer}/content`,
    },
  ];
}

/**
 * Checks a body against the full schema of a documented response. Only JSON and text have a schema. Other
 * content is not checked.
 */
export function checkBody(documented: Transaction, received: Received): Finding[] {
  const { api, contentType } = documented;
  if (contentType === undefined) return [];
  const where = `${documented.pointer}/content/${toPointerSegment(contentType)}/schema`;
  const validate = findSchema(`${documents[api].name}${where}`);
  if (validate === undefined) return [];
  const body = isJson(contentType) ? received.json : received.text;
  if (body === undefined) {
    return [{ message: 'the body must be JSON', where: `${documents[api].name} ${where}` }];
  }
  if (validate(body)) return [];
  return (validate.errors ?? []).map((error) => toFinding(api, where, error));
}

function toFinding(api: Api, where: string, error: ErrorObject): Finding {
  const place = error.instancePath.slice(1).replaceAll('/', '.') || 'the body';
  const { name } = documents[api];
  // Ajv counts from the root of the document if it followed a `$ref`, otherwise from the schema.
  const path = error.schemaPath.slice(error.schemaPath.indexOf('#'));
  const pointer = path.startsWith('#/components/') ? path : `${where}${path.slice(1)}`;
  return { message: `${place} ${error.message}`, where: `${name} ${pointer}` };
}

/** Rule C2: 'Text types are those whose Content-Type indicates …', compared without parameters. */
const TEXT_TYPES = ['application/json', 'application/x-www-form-urlencoded', 'text/plain'];

/** Returns the rule that requires `attachment` for a media type, or `none` if the header must be absent. */
export function dispositionRule(method: string, mediaType: string): 'C1' | 'C2' | 'none' {
  if (method.toUpperCase() === 'GET') return 'C1';
  return TEXT_TYPES.includes(mediaType) ? 'none' : 'C2';
}

/**
 * Checks rules C1 to C3 on responses from a hosted service: `Content-Disposition: attachment` on every
 * response to a GET (C1) and on every response without a text type (C2), but not on event streams (C3). A
 * missing Content-Type is not checked because the contract leaves it open (D8).
 */
export function checkDisposition(transaction: Transaction, received: Received): Finding[] {
  const contentType = received.header('content-type');
  if (contentType === undefined) return [];
  const type = toMediaType(contentType);
  if (type === 'text/event-stream') return [];
  const rule = dispositionRule(transaction.method, type);
  const came = received.header('content-disposition');
  const where = `${documents.gateway.name} ${transaction.pointer}/headers/Content-Disposition`;
  const types = listDispositionTypes([came ?? '']);
  if (rule !== 'none' && (!types.includes('attachment') || types.includes('inline'))) {
    return [{ message: `${rule}: Content-Disposition must be attachment, not ${came}`, where }];
  }
  if (rule === 'none' && came !== undefined) {
    return [
      {
        message: `C2: the response to a POST must not have Content-Disposition if its type is ${type}`,
        where,
      },
    ];
  }
  return [];
}

/** Returns the responses that are documented for a status of the operation. */
export function listByStatus(transaction: Transaction, status: number): Transaction[] {
  const ofOperation = transactions.filter(
    ({ api, operationId }) => api === transaction.api && operationId === transaction.operationId,
  );
  return findByStatus(ofOperation, toDocumented(transaction, status)) as Transaction[];
}

/**
 * Returns the status whose documented response applies. A storage call other than a copy may succeed with any
 * 2xx, so the response for 200 applies (D20).
 */
export function toDocumented(
  { api, operationId }: Pick<Transaction, 'api' | 'operationId'>,
  status: number,
): number {
  const isFree = api === 'storage' && operationId !== 'batchCopyFile';
  return isFree && status >= 200 && status < 300 ? 200 : status;
}

/** Checks that each header that the documented response requires is present and not empty. */
export function checkHeaders(documented: Transaction, received: Received): Finding[] {
  const { document, name } = documents[documented.api];
  return Object.entries(documented.response.headers ?? {}).flatMap(([header, node]) => {
    const own = `${documented.pointer}/headers/${header}`;
    const { value, pointer } = dereference<Header>(document, node, own);
    if (!value.required || received.header(header)) return [];
    return [{ message: `the ${header} header is required`, where: `${name} ${pointer}` }];
  });
}

const OPTION = { gateway: '--gateway-token', storage: '--storage-header' } as const;

/** Documented statuses that an invalid request should trigger. */
const REFUSALS = ['4XX', 'default'];

/**
 * Returns a skip if the target rejects the credentials, because the check then proves nothing. Returns
 * `undefined` for any other response. Once the credentials have been accepted, also returns `undefined` for
 * an invalid request, because any 4xx is then the expected refusal.
 *
 * 401 and 403 mean that the credentials are rejected. Until a call has succeeded, an unexpected 4xx may mean
 * the same, because the contract does not specify the status (D15).
 *
 * @param accepted whether an earlier call succeeded
 */
export function refusedCredentials(
  { api, status }: Pick<Transaction, 'api' | 'status'>,
  received: Received,
  accepted: boolean,
): Verdict | undefined {
  const isWanted = String(received.status) === status;
  const mayMeanSo =
    status === '404' && !accepted && received.status >= 400 && received.status < 500;
  if (isWanted || !(received.status === 401 || received.status === 403 || mayMeanSo))
    return undefined;
  if (accepted && REFUSALS.includes(status)) return undefined;
  return {
    outcome: 'skip',
    required: true,
    refused: true,
    reason: `the target rejected the credentials with ${received.status}; see ${OPTION[api]}`,
    findings: [],
  };
}
