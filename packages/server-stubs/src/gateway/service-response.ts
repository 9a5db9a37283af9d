import { GatewayError } from '../errors.ts';
import { applyDispositionRules, removeHopByHop } from '../forwarding.ts';
import type { BodyWriter, Call, HandlerResponse, RawBody } from '../runtime/portable/call.ts';

/** A hosted service's response, which is forwarded unchanged except for the headers that the gateway sets. */
export interface ServiceResponse extends Pick<HandlerResponse, 'status' | 'headers'> {
  /** Response body, which is sent as is. Streams are read with backpressure from the caller. */
  readonly body?: RawBody | BodyWriter;
}

/** Headers that only the gateway may set (D9, D11). */
const RESERVED_HEADERS = new Set([
  'x-request-id',
  'access-control-allow-origin',
  'access-control-allow-credentials',
]);

/**
 * D7: "The gateway forwards the status, headers and body unchanged, except for hop-by-hop headers …, `X-Request-Id` and
 * `Content-Disposition`." Its CORS headers are added later.
 *
 * @param upstreamStatus lowercase name of the header with the service's status (D10)
 * @throws GatewayError BAD_GATEWAY, with the reason as `cause`, if it is not a response
 */
export function toCallerResponse(
  response: ServiceResponse,
  { request, operationId }: Pick<Call, 'request' | 'operationId'>,
  upstreamStatus: string,
): HandlerResponse {
  // A handler in JavaScript may return anything.
  const { status, headers: sent = {}, body } = Object(response) as ServiceResponse;
  if (!(Number.isInteger(status) && status >= 200 && status <= 599)) {
    const message = `The handler of ${operationId} returned the status ${String(status)}: return an integer from 200 to 599.`;
    throw new GatewayError('BAD_GATEWAY', { cause: new TypeError(message) });
  }
  const headers = removeHopByHop(sent, RESERVED_HEADERS);
  applyDispositionRules(request, headers);
  headers[upstreamStatus] = String(status);
  // RFC 9110, section 8.6: "A server MUST NOT send a Content-Length header field in any response with
  // a status code of … 204 (No Content)."
  if (status === 204) delete headers['content-length'];
  return { status, headers: headers as NonNullable<HandlerResponse['headers']>, body };
}
