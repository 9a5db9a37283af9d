/** What a response contains: its head, media type and body. `respond.ts` sends it. */
import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import type { Settings } from './options.ts';
import { isJsonType, kindOf } from './portable/body.ts';
import type { BodyWriter, Call, HandlerResponse, RawBody } from './portable/call.ts';
import { createNullObject } from './portable/encoding.ts';
import { findContent, type HeaderValue, MERGED_HEADERS } from './portable/headers.ts';
import type { Content, DocumentedResponse, Route } from './portable/route-table.ts';
import { toViolation } from './portable/validation.ts';

export type Head = Record<string, Exclude<HeaderValue, undefined>>;

export type Stream = Readable | ReadableStream<Uint8Array>;

/** The documented content of a response. With `unchanged`, a body is sent as is. */
type Documented = readonly Content[] | 'unchanged' | undefined;

/** `send` drops its body if the response cannot have one. */
export type SentResponse = ReturnType<typeof toSentResponse>;

/** The response for the status itself, its range (`4XX`), or `default`. */
export function findResponse({ responses }: Route, status: number): DocumentedResponse | undefined {
  const find = (name: string) => responses.find((response) => response.status === name);
  return find(`${status}`) ?? find(`${Math.floor(status / 100)}XX`) ?? find('default');
}

/**
 * Returns a response as it is sent, with its media type and length.
 *
 * @param sources headers. The first source takes precedence
 */
export function toSentResponse(
  { request }: Call,
  { status, contentType, body: value }: HandlerResponse,
  encodeBody: Settings['encodeBody'],
  sources: readonly HandlerResponse['headers'][],
  documented?: Documented,
) {
  const headers = toHead(sources);
  const header = headers['content-type']?.toString();
  const encoded = encodeBody(value);
  const { body, mediaType, content } = toContent(encoded, documented, contentType, header);
  if (mediaType !== undefined) headers['content-type'] = mediaType;
  if (status === 204) delete headers['content-length'];
  else if (body === undefined) {
    if (!isBodiless(request, status)) headers['content-length'] = 0;
  } else if (typeof body !== 'function' && !isStream(body)) {
    headers['content-length'] = Buffer.byteLength(body);
  }
  return { status, headers, body, content };
}

/** A body as it is sent, with its media type. What is neither bytes nor text becomes JSON. */
function toContent(value: unknown, documented: Documented, contentType?: string, header?: string) {
  let body = value as RawBody | BodyWriter | undefined;
  if (documented === 'unchanged') return { body, mediaType: contentType };
  if (body === undefined) return { body };
  if (typeof body === 'function') throw new TypeError('The body of a response is a function.');
  const { mediaType, content } = selectMediaType(body, documented, contentType, header);
  // A range such as `*/*` may contain JSON, but a string with another type is text.
  const isJson = content?.kind === 'json' && isJsonType(mediaType);
  if (!isBytes(body) && (typeof body !== 'string' || isJson)) body = JSON.stringify(body);
  return { body, mediaType, content };
}

/**
 * Selects the media type of a body, and the documented content that it belongs to:
 * 1. the `contentType` of the response
 * 2. its `Content-Type` header, as is
 * 3. `application/json` if it is documented, otherwise the first documented media type
 * 4. for a range such as `text/*`, or if nothing is documented: the type of the body
 */
function selectMediaType(
  body: RawBody,
  documented: readonly Content[] = [],
  contentType?: string,
  header?: string,
) {
  const isJson = ({ mediaType }: Content) => mediaType === 'application/json';
  const explicit = contentType ?? header;
  const content =
    explicit === undefined
      ? (documented.find(isJson) ?? documented[0])
      : findContent(documented, explicit);
  if (contentType === undefined && header !== undefined) return { mediaType: header, content };
  const mediaType = contentType ?? content?.mediaType ?? '*';
  const isText = typeof body === 'string';
  if (!mediaType.includes('*')) {
    const needsCharset = isText && !mediaType.includes(';') && kindOf(mediaType, true) === 'text';
    return { mediaType: needsCharset ? `${mediaType}; charset=utf-8` : mediaType, content };
  }
  if (isBytes(body)) return { mediaType: 'application/octet-stream', content };
  const inferred =
    isText && content?.kind !== 'json' ? 'text/plain; charset=utf-8' : 'application/json';
  return { mediaType: inferred, content };
}

export function isBodiless({ method }: IncomingMessage, status: number): boolean {
  return method === 'HEAD' || status === 204 || status === 304;
}

/** Merges headers by their lowercase names. The first source takes precedence, except in lists. */
export function toHead(sources: readonly HandlerResponse['headers'][]): Head {
  const head: Head = createNullObject();
  for (const source of sources) {
    for (const name in source) {
      const value = source[name];
      if (value === undefined) continue;
      const key = name.toLowerCase();
      if (head[key] === undefined) head[key] = value;
      else if (MERGED_HEADERS.has(key) && head[key] !== value) head[key] = `${value}, ${head[key]}`;
    }
  }
  return head;
}

function isBytes(body: unknown): body is Uint8Array | Stream {
  return body instanceof Uint8Array || isStream(body);
}

export function isStream(body: unknown): body is Stream {
  return body instanceof Readable || body instanceof ReadableStream;
}

/**
 * Returns how a response violates the document, or `undefined`. For development (`responses: 'check'`). Of bytes and
 * streams, the content is not checked.
 */
export function findViolation(
  request: IncomingMessage,
  { status, body }: HandlerResponse,
  { headers, content }: SentResponse,
  documented: DocumentedResponse | undefined,
): string | undefined {
  if (documented === undefined) return `The status ${status} is not documented.`;
  const missing = documented.requiredHeaders?.find((name) => headers[name] === undefined);
  if (missing !== undefined) return `The ${missing} header is missing.`;
  const isEmpty = status === 204 || status === 304 || documented.content.length === 0;
  if (body === undefined) {
    const isOptional = isEmpty || request.method === 'HEAD';
    return isOptional ? undefined : `A ${status} must have a body.`;
  }
  if (isEmpty) return `A ${status} must not have a body.`;
  if (content === undefined) return `The media type is not documented for ${status}.`;
  const { kind, mediaType, validate } = content;
  const isJson = kind === 'json';
  if (isJson ? isBytes(body) : !isBytes(body) && typeof body !== 'string') {
    const type = isJson ? 'a JavaScript value, not bytes' : 'a string, bytes or a stream';
    return `The ${mediaType} body must be ${type}.`;
  }
  if (isBytes(body) || validate === undefined) return undefined;
  // As it is sent: a `Date` becomes a string.
  const json = JSON.parse(JSON.stringify(body));
  return validate(json)
    ? undefined
    : toViolation(json, validate.errors, 'response', '/body').message;
}
