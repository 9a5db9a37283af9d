import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import {
  charsetOf,
  createNullObject,
  decodeQuery,
  type NullObject,
  parseQuery,
} from '../decoding.ts';
import {
  bodyTooLarge,
  escapeName,
  invalidRequest,
  malformed,
  missingBody,
  tooMany,
  unsupported,
} from '../faults.ts';
import type { Limits } from '../options.ts';
import { readQuery } from '../parameters/create-parameter-reader.ts';
import { BAD_ENCODING, coerce, Unreadable } from '../parameters/to-value.ts';
import { findJsonProblem } from '../parse-json.ts';
import type { Content, RequestBody } from '../route-table.ts';
import { decodeUtf8, selectContent, toJson } from './read-fields.ts';
import { askToContinue, hasBody, limitStream, readBytes } from './request-stream.ts';

const UTF_8_NAMES = new Set(['utf-8', 'utf8', 'us-ascii', 'ascii']);

export interface ReadBody {
  readonly value: unknown;
  readonly content: Content;
}

/** Never resolves if the client disconnects before the body is complete. */
export type BodyReader = (request: IncomingMessage) => Promise<ReadBody | undefined>;

export function createBodyReader({ content, required }: RequestBody, limits: Limits): BodyReader {
  const accepted = content.map(({ mediaType }) => mediaType).join(', ');
  const none = (): undefined => {
    if (!required) return;
    throw missingBody();
  };
  return async (request) => {
    if (!hasBody(request)) return none();
    const { headers } = request;
    const coding = headers['content-encoding'];
    if (coding !== undefined && coding.toLowerCase() !== 'identity') {
      const message = `The Content-Encoding ${coding} is not supported: send the body without it.`;
      // RFC 9110, section 15.5.16: the response to an unsupported coding lists the supported ones.
      throw unsupported(message, { 'accept-encoding': 'identity' });
    }
    const header = headers['content-type'];
    const found = selectContent(content, header);
    const maxBytes = found.kind === 'binary' ? limits.streamBytes : limits.bodyBytes;
    if (Number(headers['content-length'] ?? 0) > maxBytes) {
      throw bodyTooLarge(maxBytes);
    }
    const charset = charsetOf(header ?? '');
    if (found.kind !== 'binary' && charset !== undefined && !UTF_8_NAMES.has(charset)) {
      const message = `The charset ${charset} is not supported: send UTF-8.`;
      throw unsupported(message, { accept: accepted });
    }
    if (headers.expect !== undefined) askToContinue(request);
    if (request.readableDidRead) {
      return { value: toParsedBody(request, found, limits), content: found };
    }
    if (found.kind === 'binary') return { value: limitStream(request, maxBytes), content: found };
    const bytes = await readBytes(request, maxBytes);
    if (bytes.length === 0 && found.kind !== 'text') return none();
    return { value: parseBytes(bytes, found, limits), content: found };
  };
}

/** @throws Error if middleware left nothing usable, because it is mounted in the wrong order */
function toParsedBody(
  request: IncomingMessage & { body?: unknown },
  content: Content,
  limits: Limits,
): unknown {
  const { body } = request;
  if (content.kind === 'binary' && (Buffer.isBuffer(body) || typeof body === 'string')) {
    return Readable.from([Buffer.from(body)]);
  }
  if (content.kind === 'binary' || body === undefined) {
    throw new Error(
      `Other middleware has already read the body (${content.mediaType}): mount the router before it.`,
    );
  }
  if (Buffer.isBuffer(body)) return parseBytes(body, content, limits);
  if (typeof body === 'string') return parseText(body, content, limits);
  const problem = findJsonProblem(body, limits.jsonDepth);
  if (problem !== undefined) throw malformed(`The body ${problem}.`);
  return body;
}

/** Parses a complete body: JSON, text or form. */
function parseBytes(bytes: Buffer, content: Content, limits: Limits): unknown {
  return parseText(decodeUtf8(bytes), content, limits);
}

function parseText(text: string, content: Content, limits: Limits): unknown {
  if (content.kind === 'form') return parseForm(text, content, limits);
  return content.kind === 'json' ? toJson(text, limits.jsonDepth) : text;
}

/** A documented field has its types; any other is text, or a list if it has several values. */
function parseForm(
  text: string,
  { fields = [], additional = ['string'] }: Content,
  { formFields }: Limits,
): NullObject {
  if (text.split('&', formFields + 1).length > formFields) {
    throw tooMany('fields', formFields);
  }
  const form = createNullObject();
  const values = parseQuery(text);
  const names = new Set(fields.map(({ name }) => name));
  for (const field of fields) {
    const value = readQuery(field, values, names);
    if (value instanceof Unreadable) fail(field.name, value);
    if (value !== undefined) form[field.name] = value;
  }
  const deep = fields.filter(({ style }) => style === 'deepObject');
  for (const [name, raw] of values) {
    if (names.has(name) || deep.some((field) => name.startsWith(`${field.name}[`))) continue;
    const read = raw.map((each) => {
      const value = decodeQuery(each);
      const typed = value === undefined ? BAD_ENCODING : coerce(value, additional);
      return typed instanceof Unreadable ? fail(name, typed) : typed;
    });
    form[name] = read.length === 1 ? read[0] : read;
  }
  return form;
}

function fail(name: string, { keyword, problem }: Unreadable): never {
  const message = `body.${name} ${problem}.`;
  throw invalidRequest([{ in: 'body', pointer: `/${escapeName(name)}`, keyword, message }]);
}
