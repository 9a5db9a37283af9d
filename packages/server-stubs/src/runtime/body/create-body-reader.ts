import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { TextDecoder } from 'node:util';
import { createNullObject, decodeQuery, type NullObject } from '../decoding.ts';
import {
  bodyTooLarge,
  FaultError,
  invalidRequest,
  malformed,
  tooMany,
  toSimpleViolation,
  unsupported,
} from '../faults.ts';
import { type Field, fromJson, nest, toSteps } from '../nesting.ts';
import type { Limits } from '../options.ts';
import { findJsonProblem, parseJson } from '../parse-json.ts';
import type { Content, FormLayout, RequestBody } from '../route-table.ts';
import { charsetOf, findContent } from './media-type.ts';
import { askToContinue, hasBody, limitStream, readBytes } from './request-stream.ts';

const UTF_8 = new TextDecoder('utf-8', { fatal: true });
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
    const message = 'The request body is missing.';
    throw new FaultError(invalidRequest([toSimpleViolation('body', '', 'required', message)]));
  };
  return async (request) => {
    if (!hasBody(request)) return none();
    const { headers } = request;
    const coding = headers['content-encoding'];
    if (coding !== undefined && coding.toLowerCase() !== 'identity') {
      const message = `The Content-Encoding ${coding} is not supported: send the body without it.`;
      // RFC 9110, section 15.5.16: the response to an unsupported coding lists the supported ones.
      const supported = { 'accept-encoding': 'identity' };
      throw new FaultError({ ...unsupported(message, ''), headers: supported });
    }
    const header = headers['content-type'];
    const found = findContent(content, header ?? 'application/octet-stream');
    if (found === undefined) {
      const problem =
        header === undefined ? 'Content-Type is missing' : 'This Content-Type is not supported';
      const message = `${problem}: send one of ${accepted}.`;
      throw new FaultError(unsupported(message, accepted));
    }
    const maxBytes = found.kind === 'binary' ? limits.streamBytes : limits.bodyBytes;
    if (Number(headers['content-length'] ?? 0) > maxBytes) {
      throw new FaultError(bodyTooLarge(maxBytes));
    }
    const charset = charsetOf(header ?? '');
    if (found.kind !== 'binary' && charset !== undefined && !UTF_8_NAMES.has(charset)) {
      const message = `The charset ${charset} is not supported: send UTF-8.`;
      throw new FaultError(unsupported(message, accepted));
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
  if (problem !== undefined) throw new FaultError(malformed(`The body ${problem}.`));
  return body;
}

/** Parses a complete body: JSON, text or form. Skips a byte order mark (RFC 8259, section 8.1). */
function parseBytes(bytes: Buffer, content: Content, limits: Limits): unknown {
  let text: string;
  try {
    text = UTF_8.decode(bytes);
  } catch {
    throw new FaultError(malformed('The request body is not valid UTF-8.'));
  }
  return parseText(text, content, limits);
}

function parseText(text: string, content: Content, limits: Limits): unknown {
  if (content.kind === 'form') return parseForm(text, content.form, limits);
  if (content.kind !== 'json') return text;
  const { problem, value } = parseJson(text, limits.jsonDepth);
  if (problem === undefined) return value;
  throw new FaultError(malformed(`The JSON body ${problem}.`));
}

/**
 * A name with several values is a list. Fields that the layout calls nested may have brackets in their
 * names, or JSON as value.
 */
function parseForm(
  text: string,
  { nested = [], delimiters = {} }: FormLayout = {},
  { formFields: maxFields, jsonDepth }: Limits,
): NullObject {
  const pairs = text === '' ? [] : text.split('&', maxFields + 1);
  if (pairs.length > maxFields) throw new FaultError(tooMany('fields', maxFields));
  const value = createNullObject();
  const inside: Field[] = [];
  for (const pair of pairs) {
    if (pair === '') continue;
    const at = pair.indexOf('=');
    const name = decodeQuery(at < 0 ? pair : pair.slice(0, at));
    const field = at < 0 ? '' : decodeQuery(pair.slice(at + 1));
    if (name === undefined || field === undefined) {
      throw new FaultError(malformed('The form has invalid percent-encoding.'));
    }
    if (nested.length > 0 && nested.includes(toSteps(name)?.[0] ?? name)) {
      inside.push([name, fromJson(field, jsonDepth)]);
      continue;
    }
    const parts = Object.hasOwn(delimiters, name) ? field.split(delimiters[name] as string) : field;
    const known = value[name];
    value[name] = known === undefined ? parts : [known, parts].flat();
  }
  if (inside.length === 0) return value;
  const object = nest(inside);
  if (object === undefined) {
    throw new FaultError(
      malformed('A form field has both a value and nested fields, or is nested too deeply.'),
    );
  }
  return Object.assign(value, object);
}
