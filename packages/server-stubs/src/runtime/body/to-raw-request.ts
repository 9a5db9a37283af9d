import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { askToContinue } from '../answering/expect-continue.ts';
import type { Fault } from '../fault.ts';
import { tooLarge } from './faults.ts';
import { hasBody } from './has-body.ts';
import { limitStream } from './limit-stream.ts';

/**
 * The body of a pass-through operation: the request itself where no limit has to be counted.
 *
 * Where `express.json()` ran before, the bytes are gone; its value is written anew, and the header
 * `Content-Length` is set to the new length. A signature over the original bytes then no longer fits.
 *
 * @throws Error where something else has read the body
 */
export function toRawRequest(
  request: IncomingMessage & { body?: unknown },
  maxBytes: number,
): { readonly body: Readable } | { readonly fault: Fault } {
  if (!hasBody(request)) return { body: request };
  if (Number(request.headers['content-length'] ?? 0) > maxBytes)
    return { fault: tooLarge(maxBytes) };
  if (request.readableDidRead) return { body: Readable.from([toBytes(request)]) };
  if (request.headers.expect !== undefined) askToContinue(request);
  return { body: limitStream(request, maxBytes) };
}

function toBytes(request: IncomingMessage & { body?: unknown }): Buffer {
  const { body, headers } = request;
  if (Buffer.isBuffer(body)) return body;
  if (typeof body === 'string') return Buffer.from(body);
  if (body === undefined || !/json/i.test(headers['content-type'] ?? '')) {
    throw new Error('Something has read the body before the router; mount the router first.');
  }
  const bytes = Buffer.from(JSON.stringify(body));
  headers['content-length'] = String(bytes.length);
  delete headers['transfer-encoding'];
  return bytes;
}
