import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import type { Content } from '../route-table.ts';
import type { Limits } from '../settings.ts';
import type { ReadBody } from './create-body-reader.ts';
import { malformed } from './faults.ts';
import type { MediaType } from './media-type.ts';
import { parseBytes, parseText } from './parse-bytes.ts';
import { checkParsedJson } from './parse-json.ts';

/**
 * The body that middleware such as `express.json()` has read before the router and left in
 * `request.body`.
 *
 * @throws Error where it left nothing that could be used: the server is put together wrongly
 */
export function toParsedBody(
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
