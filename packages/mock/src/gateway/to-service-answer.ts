import type { Context } from '../context.ts';
import type { Answer } from '../http/answer.ts';
import { isObject } from '../is-object.ts';
import type { Documented } from '../oracle/create-oracle.ts';
import { toAnswer } from '../oracle/to-answer.ts';

/**
 * Turns a documented answer into the gateway's: the request identifier is the call's own, and the
 * status of the hosted service stands in its header.
 *
 * D9: `X-Request-Id` is "never taken from the hosted service; an error body's `requestId` equals it."
 * D10: "An answer of the hosted service carries `X-Svc-Upstream-Status-Code: <status>`; the gateway's
 * own errors don't."
 */
export function toServiceAnswer(
  documented: Documented,
  requestId: string,
  { profile }: Context,
): Answer {
  const answer = toAnswer(documented, (body) =>
    isObject(body) && 'requestId' in body && 'code' in body ? { ...body, requestId } : body,
  );
  // Set anew by the server and by the rules C1 to C3.
  delete answer.headers['content-disposition'];
  const upstreamStatus = profile.gatewayHeaders.upstreamStatus.toLowerCase();
  if (upstreamStatus in answer.headers) answer.headers[upstreamStatus] = String(answer.status);
  return answer;
}
