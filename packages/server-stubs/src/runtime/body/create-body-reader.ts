import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { TextDecoder } from 'node:util';
import { createNullObject, decodeQuery, type NullObject } from '../decoding.ts';
import { type Fault, malformed, tooLarge, tooMany, unsupported } from '../faults.ts';
import type { Limits } from '../options.ts';
import { checkParsedJson, parseJson } from '../parse-json.ts';
import type { Content, RequestBody } from '../route-table.ts';
import { findContent, type MediaType, toMediaType } from './media-type.ts';
import { createMultipartStream } from './multipart.ts';
import { askToContinue, hasBody, limitStream, readBytes } from './request-stream.ts';

const UTF_8 = new Set(['utf-8', 'utf8', 'us-ascii', 'ascii']);

/** A body that was read, or why it is refused; neither where the request has none. */
export interface ReadBody {
  readonly fault?: Fault;
  readonly value?: unknown;
  readonly content?: Content;
}

/** Calls `done` once; never where the client goes away before the body is whole. */
export type BodyReader = (request: IncomingMessage, done: (body: ReadBody) => void) => void;

/** Reads the bodies of one operation by their media type. */
export function createBodyReader({ content, required }: RequestBody, limits: Limits): BodyReader {
  const accepted = content.map(({ mediaType }) => mediaType).join(', ');
  const none: ReadBody = required ? { fault: missingBody() } : {};
  // Clients repeat themselves: the last header is rarely a new one.
  let lastHeader: string | undefined;
  let last: { type: MediaType; found: Content } | undefined;

  return (request, done) => {
    if (!hasBody(request)) {
      done(none);
      return;
    }
    const { headers } = request;
    const coding = headers['content-encoding'];
    if (coding !== undefined && coding.toLowerCase() !== 'identity') {
      done({ fault: unknownCoding(coding) });
      return;
    }
    const header = headers['content-type'];
    if (last === undefined || header !== lastHeader) {
      const type = header === undefined ? undefined : toMediaType(header);
      const found = findContent(content, header ?? 'application/octet-stream');
      if (found === undefined) {
        done({ fault: wrongType(header, accepted) });
        return;
      }
      lastHeader = header;
      last = { type: type ?? { type: '', charset: undefined }, found };
    }
    const { type, found } = last;
    const maxBytes = isStream(found) ? limits.streamBytes : limits.bodyBytes;
    if (Number(headers['content-length'] ?? 0) > maxBytes) {
      done({ fault: tooLarge(maxBytes) });
      return;
    }
    if (found.kind !== 'text' && found.kind !== 'binary' && !isUtf8Charset(type.charset)) {
      done({
        fault: unsupported(`The charset ${type.charset} is not taken; send UTF-8.`, accepted),
      });
      return;
    }
    if (headers.expect !== undefined) askToContinue(request);
    if (request.readableDidRead) {
      done(toParsedBody(request, found, type, limits));
      return;
    }
    if (found.kind === 'multipart') {
      done({ value: createMultipartStream(request, limits), content: found });
      return;
    }
    if (found.kind === 'binary') {
      done({ value: limitStream(request, maxBytes), content: found });
      return;
    }
    readBytes(request, maxBytes, (bytes) => {
      if (bytes === undefined) done({ fault: tooLarge(maxBytes) });
      else if (bytes.length === 0 && found.kind !== 'text') done(none);
      else done(parseBytes(bytes, found, type, limits));
    });
  };
}

function isStream({ kind }: Content): boolean {
  return kind === 'multipart' || kind === 'binary';
}

function missingBody(): Fault {
  const message = 'The body is missing.';
  const violation = {
    in: 'body',
    pointer: '',
    keyword: 'required',
    message,
    schemaPath: '',
  } as const;
  return { kind: 'invalid-request', status: 400, message, violations: [violation] };
}

function wrongType(header: string | undefined, accepted: string): Fault {
  const problem =
    header === undefined ? 'Content-Type is missing' : 'This Content-Type is not taken';
  return unsupported(`${problem}; send one of: ${accepted}.`, accepted);
}

function unknownCoding(coding: string): Fault {
  return {
    ...unsupported(`The Content-Encoding ${coding} is not taken; send the body as it is.`, ''),
    // RFC 9110, section 15.5.16: a refused coding is answered with the ones that are taken.
    headers: { 'accept-encoding': 'identity' },
  };
}

/**
 * The body that middleware such as `express.json()` has read before the router and left in
 * `request.body`.
 *
 * @throws Error where it left nothing that could be used: the server is put together wrongly
 */
function toParsedBody(
  request: IncomingMessage & { body?: unknown },
  content: Content,
  type: MediaType,
  limits: Limits,
): ReadBody {
  const { body } = request;
  if (content.kind === 'binary' && (Buffer.isBuffer(body) || typeof body === 'string')) {
    return { value: Readable.from([Buffer.from(body)]), content };
  }
  if (content.kind === 'multipart' || content.kind === 'binary' || body === undefined) {
    throw new Error(
      `Something has read the body (${content.mediaType}) before the router; mount the router first.`,
    );
  }
  if (Buffer.isBuffer(body)) return parseBytes(body, content, type, limits);
  if (typeof body === 'string') return parseText(body, content, limits);
  const checked = checkParsedJson(body, limits.jsonDepth);
  return checked.problem === undefined
    ? { value: checked.value, content }
    : { fault: malformed(`The body ${checked.problem}.`) };
}

/** The value of a body that was read whole: JSON, text or form. */
function parseBytes(
  bytes: Buffer,
  content: Content,
  { charset }: MediaType,
  limits: Limits,
): ReadBody {
  if (content.kind === 'text' && charset !== undefined && !isUtf8Charset(charset)) {
    return parseLegacy(bytes, content, charset);
  }
  const text = decodeUtf8(bytes);
  if (text === undefined) return { fault: malformed('The body is not UTF-8.') };
  return parseText(text, content, limits);
}

/** The same for a text that is decoded already. */
function parseText(text: string, content: Content, limits: Limits): ReadBody {
  if (content.kind === 'json') {
    const parsed = parseJson(text, limits.jsonDepth);
    return parsed.problem === undefined
      ? { value: parsed.value, content }
      : { fault: malformed(`The JSON in the body ${parsed.problem}.`) };
  }
  if (content.kind === 'form') {
    const form = parseForm(text, limits.formFields);
    return 'fault' in form ? form : { value: form.value, content };
  }
  return { value: text, content };
}

function parseLegacy(bytes: Buffer, content: Content, charset: string): ReadBody {
  const decoder = createDecoder(charset);
  if (!decoder) {
    return {
      fault: unsupported(`The charset ${charset} is unknown; send UTF-8.`, content.mediaType),
    };
  }
  try {
    return { value: decoder.decode(bytes), content };
  } catch {
    return { fault: malformed(`The body is not ${charset}.`) };
  }
}

/**
 * Parses `application/x-www-form-urlencoded`: texts by name, a list where a name is given more than
 * once.
 */
function parseForm(
  text: string,
  maxFields: number,
): { readonly value: NullObject } | { readonly fault: Fault } {
  const value = createNullObject();
  const pairs = text === '' ? [] : text.split('&', maxFields + 1);
  if (pairs.length > maxFields) return { fault: tooMany('fields', maxFields) };
  for (const pair of pairs) {
    if (pair === '') continue;
    const at = pair.indexOf('=');
    const name = decodeQuery(at < 0 ? pair : pair.slice(0, at));
    const field = at < 0 ? '' : decodeQuery(pair.slice(at + 1));
    if (name === undefined || field === undefined) {
      return { fault: malformed('The form in the body has broken percent-encoding.') };
    }
    const known = value[name];
    if (known === undefined) value[name] = field;
    else if (Array.isArray(known)) known.push(field);
    else value[name] = [known, field];
  }
  return { value };
}

/** A decoder for any charset of the WHATWG list; `undefined` where it is unknown. */
function createDecoder(charset: string): TextDecoder | undefined {
  try {
    return new TextDecoder(charset, { fatal: true });
  } catch {
    return undefined;
  }
}

/**
 * Bytes as text, without a byte order mark, which RFC 8259, section 8.1 lets a reader ignore.
 *
 * @returns undefined where the bytes are not UTF-8
 */
function decodeUtf8(bytes: Buffer): string | undefined {
  if (!isUtf8(bytes)) return undefined;
  const start = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0;
  return bytes.toString('utf8', start);
}

function isUtf8Charset(charset: string | undefined): boolean {
  return charset === undefined || UTF_8.has(charset);
}
