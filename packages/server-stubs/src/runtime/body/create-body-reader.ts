import type { IncomingMessage } from 'node:http';
import { askToContinue } from '../answering/expect-continue.ts';
import type { Fault } from '../fault.ts';
import type { Content, RequestBody } from '../route-table.ts';
import type { Limits } from '../settings.ts';
import { createMultipartStream } from './create-multipart-stream.ts';
import { isUtf8Charset } from './decode-bytes.ts';
import { tooLarge, unsupported } from './faults.ts';
import { hasBody } from './has-body.ts';
import { limitStream } from './limit-stream.ts';
import { findContent, type MediaType, toMediaType } from './media-type.ts';
import { parseBytes } from './parse-bytes.ts';
import { readBytes } from './read-bytes.ts';
import { toParsedBody } from './to-parsed-body.ts';

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
