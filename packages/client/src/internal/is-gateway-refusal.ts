import { UPSTREAM_STATUS } from '../generated/contract.gen.ts';
import type { components } from '../generated/gateway.v1.gen.ts';
import { rememberedCall } from './calls.ts';
import { requestIdOf } from './describe-answer.ts';
import { isRecord } from './is-record.ts';

export type GatewayErrorBody = components['schemas']['GatewayError'];

/** Whether an answer is of the hosted service: the header of its own status marks it (D10). */
export function isOfService(response: Response): boolean {
  return response.headers.has(rememberedCall(response).upstreamStatus ?? UPSTREAM_STATUS);
}

/**
 * Whether an answer is of the gateway itself: where it {@link isOfService} it is not, and else a body with `code`, `message` and a `requestId` equal to
 * `X-Request-Id` marks the gateway's (D10).
 */
export function isGatewayRefusal(body: unknown, response: Response): body is GatewayErrorBody {
  return (
    !isOfService(response) &&
    isRecord(body) &&
    typeof body.code === 'string' &&
    typeof body.message === 'string' &&
    body.requestId !== undefined &&
    body.requestId === requestIdOf(response)
  );
}
