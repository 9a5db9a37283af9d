import { Ajv2020, type ErrorObject } from 'ajv/dist/2020.js';
import { documents, type Transaction, transactions } from '../contract/documents.ts';
import { APIS, type Api, dereference, type Header, toPointerSegment } from '../contract/openapi.ts';
import { findByContentType, findByStatus } from '../contract/operations.ts';
import type { Received } from '../http/exchange.ts';
import { isJson, listDispositionTypes, toMediaType } from '../http/media-type.ts';
import type { Finding, Verdict } from '../result.ts';

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
 * Checks an answer against what the contract documents for its status: media type, body and
 * required headers. Whether that status was wanted is for the caller to say.
 */
export function checkAnswer(transaction: Transaction, answer: Received): Finding[] {
  const candidates = listByStatus(transaction, answer.status);
  const [first] = candidates;
  const { name } = documents[transaction.api];
  if (first === undefined) {
    return [{ message: `the status ${answer.status} is not documented`, where: name }];
  }
  const contentType = answer.header('content-type');
  const documented = findByContentType(candidates, contentType) as Transaction | undefined;
  if (documented) return [...checkHeaders(documented, answer), ...checkBody(documented, answer)];
  const wanted = candidates.map((entry) => entry.contentType ?? 'no content').join(' or ');
  return [
    ...checkHeaders(first, answer),
    {
      message: `the content type must be ${wanted}, not ${contentType ?? 'absent'}`,
      where: `${name} ${first.pointer}/content`,
    },
  ];
}

/**
 * Checks a body against the full schema of a documented answer. Only JSON and text have a schema to
 * check; other content is bytes.
 */
export function checkBody(documented: Transaction, answer: Received): Finding[] {
  const { api, contentType } = documented;
  if (contentType === undefined) return [];
  const where = `${documented.pointer}/content/${toPointerSegment(contentType)}/schema`;
  const validate = ajv.getSchema(`${documents[api].name}${where}`);
  if (validate === undefined) return [];
  const body = isJson(contentType) ? answer.json : answer.text;
  if (body === undefined) {
    return [{ message: 'the body must be JSON', where: `${documents[api].name} ${where}` }];
  }
  if (validate(body)) return [];
  return (validate.errors ?? []).map((error) => toFinding(api, where, error));
}

function toFinding(api: Api, where: string, error: ErrorObject): Finding {
  const place = error.instancePath.slice(1).replaceAll('/', '.') || 'the body';
  const { name } = documents[api];
  // Ajv counts from the root of the document where it followed a `$ref`, else from the schema.
  const path = error.schemaPath.slice(error.schemaPath.indexOf('#'));
  const pointer = path.startsWith('#/components/') ? path : `${where}${path.slice(1)}`;
  return { message: `${place} ${error.message}`, where: `${name} ${pointer}` };
}

/** Rule C2: 'Text types are those whose Content-Type indicates …', compared without parameters. */
const TEXT_TYPES = ['application/json', 'application/x-www-form-urlencoded', 'text/plain'];

/**
 * Rules C1 to C3 for what a hosted service answers: `Content-Disposition: attachment` on every answer
 * to a GET (C1) and on every answer of no text type (C2), but not on event streams (C3). A missing
 * Content-Type is not judged, for the contract leaves it open (D8).
 */
export function checkDisposition(transaction: Transaction, answer: Received): Finding[] {
  const contentType = answer.header('content-type');
  if (contentType === undefined) return [];
  const type = toMediaType(contentType);
  if (type === 'text/event-stream') return [];
  const rule = transaction.method === 'get' ? 'C1' : TEXT_TYPES.includes(type) ? undefined : 'C2';
  const came = answer.header('content-disposition');
  const where = `${documents.gateway.name} ${transaction.pointer}/headers/Content-Disposition`;
  const types = listDispositionTypes([came ?? '']);
  if (rule && (!types.includes('attachment') || types.includes('inline'))) {
    return [{ message: `${rule}: Content-Disposition must be attachment, not ${came}`, where }];
  }
  if (rule === undefined && came !== undefined) {
    return [{ message: `C2: a POST answered with ${type} has no Content-Disposition`, where }];
  }
  return [];
}

/** The documented answers of the same operation for a status. */
export function listByStatus(transaction: Transaction, status: number): Transaction[] {
  const ofOperation = transactions.filter(
    ({ api, operationId }) => api === transaction.api && operationId === transaction.operationId,
  );
  return findByStatus(ofOperation, toDocumented(transaction, status)) as Transaction[];
}

/** 'Elsewhere equality is ours' (D20): a storage call may succeed with any 2xx, except for a copy. */
export function toDocumented(
  { api, operationId }: Pick<Transaction, 'api' | 'operationId'>,
  status: number,
): number {
  const isFree = api === 'storage' && operationId !== 'batchCopyFile';
  return isFree && status >= 200 && status < 300 ? 200 : status;
}

/** Checks that each header which the documented answer requires is there, and not empty. */
export function checkHeaders(documented: Transaction, answer: Received): Finding[] {
  const { document, name } = documents[documented.api];
  return Object.entries(documented.response.headers ?? {}).flatMap(([header, node]) => {
    const own = `${documented.pointer}/headers/${header}`;
    const { value, pointer } = dereference<Header>(document, node, own);
    if (!value.required || answer.header(header)) return [];
    return [{ message: `the header ${header} is required`, where: `${name} ${pointer}` }];
  });
}

const OPTION = { gateway: '--gateway-token', storage: '--storage-header' } as const;

/** Documented statuses that a bad request is to bring about. */
const REFUSALS = ['4XX', 'default'];

/**
 * A skip where the target says that the credentials are missing or wrong: then nothing was learnt about
 * the answer that was wanted. `undefined` for any other answer, and for a bad request once the
 * credentials have been accepted: there any 4xx is the refusal that was wanted.
 *
 * 401 and 403 say so. As long as no call has gone through, another 4xx than the wanted one may mean the
 * same, since the contract fixes no status for it (D15).
 *
 * @param accepted whether an earlier call went through
 */
export function refusedCredentials(
  { api, status }: Pick<Transaction, 'api' | 'status'>,
  answer: Received,
  accepted: boolean,
): Verdict | undefined {
  const isWanted = String(answer.status) === status;
  const mayMeanSo = status === '404' && !accepted && answer.status >= 400 && answer.status < 500;
  if (isWanted || !(answer.status === 401 || answer.status === 403 || mayMeanSo)) return undefined;
  if (accepted && REFUSALS.includes(status)) return undefined;
  return {
    outcome: 'skip',
    required: true,
    refused: true,
    reason: `the target refused the credentials with ${answer.status}; see ${OPTION[api]}`,
    findings: [],
  };
}
