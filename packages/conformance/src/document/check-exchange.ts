import { parseEvents } from '../checks/support/events.ts';
import { isObject, joinPointer } from '../contract/openapi.ts';
import { findByMediaType } from '../contract/operations.ts';
import { type Exchange, parseJson, type Received } from '../http/exchange.ts';
import { isJson, isXml, toMediaType } from '../http/media-type.ts';
import { type ApiDocument, UnusableSchema } from './load-document.ts';
import { type Content, type DocumentedResponse, findResponse, type Operation } from './plan.ts';

/** The result of checking a response against a rule. Without a message, the response follows the rule. */
export interface Finding {
  rule: DocumentRule;
  message?: string | undefined;
  /** JSON pointer into the document. */
  where: string;
}

export const EVENT_STREAM = 'text/event-stream';

/** The 5xx statuses that a server may send on purpose, if they are documented. */
const DELIBERATE = [501, 503];

/**
 * Checks a response against the document, rule by rule. Rules that do not apply to it have no finding.
 *
 * @param broken the constraint that the request breaks; `undefined` for a valid request
 */
export function checkExchange(
  document: ApiDocument,
  operation: Operation,
  { sent, received }: Exchange,
  broken: string | undefined,
): Finding[] {
  const { status } = received;
  // The request did not get past the authentication.
  if (isRefusal(received)) return [];
  const { pointer } = operation;
  const response = findResponse(operation, status);
  const isDocumented = operation.responses.some((each) => each.status === String(status));
  const isFault = status >= 500 && !(isDocumented && DELIBERATE.includes(status));
  const findings: Finding[] = [
    { rule: 'DOC-5XX', where: pointer, message: isFault ? `the status is ${status}` : undefined },
  ];
  if (broken !== undefined) {
    const wrong = `the request violates ${broken}, so the status must be 4xx, not ${status}`;
    const message = status >= 400 ? undefined : wrong;
    findings.push({ rule: 'DOC-INVALID', where: pointer, message });
  } else if (status < 500) {
    const documented = operation.responses.map((each) => each.status).join(', ') || 'none';
    const message = `the status ${status} is not documented; the documented statuses are: ${documented}`;
    const where = joinPointer(pointer, 'responses');
    findings.push({ rule: 'DOC-STATUS', where, message: response ? undefined : message });
  }
  // A success that should be an error is reported once, and its content is not checked.
  const isWrong = broken !== undefined && status < 400;
  if (response === undefined || isWrong) return findings;
  const context = { document, response, received };
  return [...findings, ...checkHeaders(context), ...checkContent(context, sent.method)];
}

/**
 * Returns whether the credentials were rejected, in which case the response says nothing about the operation.
 */
export function isRefusal({ status }: Pick<Received, 'status'>): boolean {
  return status === 401 || status === 403;
}

interface Context {
  document: ApiDocument;
  response: DocumentedResponse;
  received: Received;
}

function checkHeaders({ document, response, received }: Context): Finding[] {
  return response.headers.flatMap(({ name, required, schema }): Finding[] => {
    const where = joinPointer(response.pointer, 'headers', name);
    const text = received.header(name);
    const fail = (message: string): Finding[] => [{ rule: 'DOC-HEADER', where, message }];
    if (text === undefined) return required ? fail(`the ${name} header is required`) : [];
    const violations = (schema ? readings(text) : []).map((value) =>
      attempt(document, schema as string, value),
    );
    const isFine = violations.length === 0 || violations.includes(undefined);
    return isFine ? [{ rule: 'DOC-HEADER', where }] : fail(`the ${name} header ${violations[0]}`);
  });
}

/** Returns the values that the text of a header may represent. */
export function readings(text: string): unknown[] {
  const items = text.split(',').map((item) => item.trim());
  const json = parseJson(text);
  const list = items.map((item) => parseJson(item) ?? item);
  return [text, ...(json === undefined ? [] : [json]), items, list];
}

function checkContent({ document, response, received }: Context, method: string): Finding[] {
  const { content, status, pointer } = response;
  const hasBody = method !== 'HEAD' && received.status !== 204 && received.status !== 304;
  if (content.length === 0 || !hasBody) return [];
  const type = received.header('content-type');
  const found = findContent(content, type);
  const where = joinPointer(pointer, 'content');
  if (found === undefined) {
    const wanted = content.map(({ mediaType }) => mediaType).join(' or ');
    const came = type === undefined ? 'absent' : toMediaType(type);
    const message = `the content type of a ${status} response must be ${wanted}, not ${came}`;
    return [{ rule: 'DOC-MEDIA', where, message }];
  }
  const media: Finding = { rule: 'DOC-MEDIA', where };
  const schema = found.itemSchema ?? found.schema;
  if (schema === undefined || type === undefined) return [media];
  if (toMediaType(type) === EVENT_STREAM) {
    return [media, ...checkEvents(document, found, received.text)];
  }
  // The schema of XML describes a mapping, which JSON Schema does not know.
  if (isXml(type) || !(isJson(type) || /^text\//i.test(type))) return [media];
  const value = isJson(type) ? received.json : received.text;
  const violation = value === undefined ? 'is not JSON' : attempt(document, schema, value);
  const message = violation && `the body of a ${status} response ${violation}`;
  return [media, { rule: 'DOC-SCHEMA', where: schema, message }];
}

export function findContent(
  content: readonly Content[],
  type: string | undefined,
): Content | undefined {
  return type === undefined
    ? undefined
    : findByMediaType(content, type, ({ mediaType }) => mediaType);
}

/**
 * Checks events. In OpenAPI 3.2, `itemSchema` describes an event as an object, and the `contentSchema` of its
 * `data` describes the JSON. In earlier versions, `schema` describes the data of an event.
 */
function checkEvents(
  document: ApiDocument,
  { schema, itemSchema }: Content,
  text: string,
): Finding[] {
  const where = itemSchema ?? schema ?? '';
  const data = joinPointer(where, 'properties', 'data', 'contentSchema');
  return parseEvents(text).map((event, at) => {
    const parsed = parseJson(event.data);
    const json = parsed === undefined ? event.data : parsed;
    const hasData = itemSchema && isObject(document.schemaAt(data, 'response'));
    const violation =
      attempt(document, where, itemSchema ? event : json) ??
      (hasData ? attempt(document, data, json) : undefined);
    return { rule: 'DOC-SSE', where, message: violation && `event ${at + 1}: ${violation}` };
  });
}

/** Returns no finding for a schema that cannot be compiled, because a note on the operation reports it. */
function attempt(document: ApiDocument, pointer: string, value: unknown): string | undefined {
  try {
    return document.validate(pointer, 'response', value);
  } catch (error) {
    if (error instanceof UnusableSchema) return undefined;
    throw error;
  }
}

/**
 * The rules that a deployment of any OpenAPI document must follow. They are separate from the rules of the
 * contract. Each rule has a result for each operation, such as `DOC-STATUS GET /items`.
 */
export const DOCUMENT_RULES = {
  'DOC-STATUS': 'The status of every response to a valid request is documented.',
  'DOC-MEDIA': 'The content type of every response is documented for its status.',
  'DOC-SCHEMA': 'The body of every response matches the schema for its status and media type.',
  'DOC-HEADER': 'Every response has all required headers, and its headers match their schemas.',
  'DOC-INVALID': 'A request that violates a constraint of the document is rejected with a 4xx.',
  'DOC-5XX': 'The response to a request is never a 5xx, except for a documented 501 or 503.',
  'DOC-SSE': "The data of every event in an event stream matches the stream's schema.",
  'DOC-SEQUENCE':
    'An item that a list returns or a request creates can be read until it is deleted. Documented links can be followed.',
} as const;

export type DocumentRule = keyof typeof DOCUMENT_RULES;

export const DOCUMENT_RULE_IDS = Object.keys(DOCUMENT_RULES) as DocumentRule[];
