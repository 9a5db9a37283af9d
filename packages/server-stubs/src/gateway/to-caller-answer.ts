import { GatewayError } from '../errors/gateway-error.ts';
import { givenOf, type Headers } from '../http/headers.ts';
import { isUpgrade } from '../http/is-upgrade.ts';
import type { Answer, Call } from '../runtime/index.ts';
import type { ServiceAnswer } from './gateway-handlers.ts';
import { removeHopByHop } from './remove-hop-by-hop.ts';
import { toDisposition } from './to-disposition.ts';

/** Lists: what the service sends is added to what the gateway sends. */
const MERGED = ['access-control-expose-headers', 'vary'];

/** Headers of which the gateway's own word is the only one (D8, D9, D11). */
const OWN = new Set([
  'x-request-id',
  'access-control-allow-origin',
  'access-control-allow-credentials',
  'content-disposition',
]);

const DISPOSITION = 'content-disposition';

/**
 * What the caller gets of a hosted service's answer.
 *
 * D7: "The hosted service's own status, headers and body pass through unchanged, save hop-by-hop
 * headers, `X-Request-Id` and `Content-Disposition`." D10: it "carries `X-Svc-Upstream-Status-Code`".
 *
 * @param own headers that the gateway puts on every answer
 * @throws GatewayError BAD_GATEWAY for a status that is none of an answer
 */
export function toCallerAnswer(
  { status, headers: given = {}, body }: ServiceAnswer,
  { request }: Call,
  own: Readonly<Record<string, string>>,
  upstreamStatus: string,
): Answer {
  if (!Number.isInteger(status) || status < 200 || status > 599) {
    throw new GatewayError('BAD_GATEWAY', {
      cause: new RangeError(`The status ${status} is none.`),
    });
  }
  const headers = removeHopByHop(given, OWN);
  const disposition = toDisposition({
    method: request.method ?? 'GET',
    isUpgrade: isUpgrade(request.headers),
    contentType: toText(headers['content-type']),
    own: toLines(givenOf(given, DISPOSITION)) ?? NONE,
  });
  if (disposition !== undefined) headers[DISPOSITION] = disposition;
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
  return { status, headers: headers as NonNullable<Answer['headers']>, body };
}

function toLines(value: Headers[string]): readonly string[] | undefined {
  if (value === undefined || typeof value === 'number') return undefined;
  return typeof value === 'string' ? [value] : value;
}

function toText(value: Headers[string]): string | undefined {
  return typeof value === 'string' ? value : toLines(value)?.join(', ');
}

const NONE: readonly string[] = [];
