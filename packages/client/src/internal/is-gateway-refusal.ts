import { UPSTREAM_STATUS } from '../generated/contract.gen.ts';
import type { components } from '../generated/gateway.v1.gen.ts';
import { requestIdOf } from './describe-answer.ts';
import { isRecord } from './is-record.ts';

export type GatewayErrorBody = components['schemas']['GatewayError'];

/**
 * Whether an answer is of the gateway itself: the header of the upstream status marks those of the
 * hosted service, and without it a body with `code`, `message` and a `requestId` equal to
 * `X-Request-Id` marks the gateway's (D10).
 */
export function isGatewayRefusal(
  body: unknown,
  response: Response,
  upstreamStatus: string = UPSTREAM_STATUS,
): body is GatewayErrorBody {
  return (
    !response.headers.has(upstreamStatus) &&
    isRecord(body) &&
    typeof body.code === 'string' &&
    typeof body.message === 'string' &&
    body.requestId !== undefined &&
    body.requestId === requestIdOf(response)
  );
}
