import type { components } from '../generated/gateway.v1.gen.ts';
import { isRecord } from './is-record.ts';
import { requestIdOf } from './request-id-of.ts';

export type GatewayErrorBody = components['schemas']['GatewayError'];

/**
 * Whether an answer is of the gateway itself: the header of the upstream status marks those of the
 * hosted service, and without it a body with `code`, `message` and a `requestId` equal to
 * `X-Request-Id` marks the gateway's (D10).
 */
export function isGatewayRefusal(
  body: unknown,
  response: Response,
  upstreamStatus: string,
): body is GatewayErrorBody {
  return (
    !response.headers.has(upstreamStatus) &&
    isRecord(body) &&
    typeof body.code === 'string' &&
    typeof body.message === 'string' &&
    typeof body.requestId === 'string' &&
    body.requestId === requestIdOf(response)
  );
}
