import type { Answer } from '../http/answer.ts';
import type { Call } from '../http/call.ts';
import { mediaTypeOf } from '../http/media-type.ts';
import { isWebSocketRequest } from './is-web-socket-request.ts';

/** C2: "Text types are those whose `Content-Type` indicates" one of these. */
const TEXT_TYPES = ['application/json', 'application/x-www-form-urlencoded', 'text/plain'];

/**
 * Whether the gateway adds `Content-Disposition: attachment` to an answer, by the rules C1 to C3.
 *
 * D8: "compared by media type without parameters"; "a missing Content-Type counts as not text";
 * "an event stream is exempt whatever was accepted".
 */
export function isAttachment(
  { method, request }: Pick<Call, 'method' | 'request'>,
  { headers }: Answer,
): boolean {
  const type = mediaTypeOf(headers['content-type'] ?? '');
  // C3: "SSE and WebSocket requests are exempt from C1 and C2."
  if (type === 'text/event-stream' || isWebSocketRequest(request)) return false;
  // C1: "For every GET response, the header `Content-Disposition: attachment` is added."
  if (method === 'GET' || method === 'HEAD') return true;
  // C2: "For every response whose content is not a text type" it is added, too.
  return !TEXT_TYPES.includes(type);
}
