import { GatewayError } from '../errors.ts';
import { applyDispositionRules, type Headers, removeHopByHop } from '../http/headers.ts';
import type { Call, HandlerResponse } from '../runtime/index.ts';
import type { ServiceResponse } from './gateway-handlers.ts';

/** Headers with lists, in which the service's values are added to the gateway's. */
const MERGED = ['access-control-expose-headers', 'vary'];

/** Headers that only the gateway may set (D9, D11). */
const OWN = new Set([
  'x-request-id',
  'access-control-allow-origin',
  'access-control-allow-credentials',
]);

/**
 * The service's status, headers and body pass through unchanged, except for hop-by-hop headers, `X-Request-Id`
 * and `Content-Disposition` (D7). `X-Svc-Upstream-Status-Code` is added (D10).
 *
 * @param own the gateway's headers for this caller
 * @throws GatewayError BAD_GATEWAY if the status is not valid
 */
export function toCallerResponse(
  { status, headers: given = {}, body }: ServiceResponse,
  { request }: Pick<Call, 'request'>,
  own: Readonly<Record<string, string>>,
  upstreamStatus: string,
): HandlerResponse {
  if (!Number.isInteger(status) || status < 200 || status > 599) {
    throw new GatewayError('BAD_GATEWAY', {
      cause: new RangeError(`${status} is not a valid status.`),
    });
  }
  const headers = applyDispositionRules(request, removeHopByHop(given, OWN));
  headers[upstreamStatus] = String(status);
  // RFC 9110, section 8.6: "A server MUST NOT send a Content-Length header field in any response with
  // a status code of … 204 (No Content)."
  if (status === 204) delete headers['content-length'];
  for (const name of MERGED) {
    const theirs = toLines(headers[name]);
    if (theirs !== undefined && own[name] !== undefined) {
      headers[name] = [own[name], ...theirs].join(', ');
    }
  }
  return { status, headers: headers as NonNullable<HandlerResponse['headers']>, body };
}

function toLines(value: Headers[string]): readonly string[] | undefined {
  if (value === undefined || typeof value === 'number') return undefined;
  return typeof value === 'string' ? [value] : value;
}
