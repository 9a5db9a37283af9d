import { GatewayError } from './errors/gateway-error.ts';
import type { components } from './generated/gateway.v1.gen.ts';
import { callOf } from './internal/calls.ts';
import { isRecord } from './internal/is-record.ts';
import { requestIdOf } from './internal/request-id-of.ts';

type ErrorBody = components['schemas']['GatewayError'];

/**
 * The error of a failed gateway call. It tells the gateway's own errors from those of the hosted
 * service: the header of the upstream status marks the service's answers, and without it a body with
 * `code`, `message` and a `requestId` equal to `X-Request-Id` marks the gateway's (D10).
 *
 * @param result what `GET` or `POST` of a gateway client gave
 *
 * @example
 * if (!result.response.ok) throw toGatewayError(result);
 */
export function toGatewayError(result: { error?: unknown; response: Response }): GatewayError {
  const { error, response } = result;
  const call = callOf(response);
  const { upstreamStatus } = call.profile.gatewayHeaders;
  const requestId = requestIdOf(response);
  const own = !response.headers.has(upstreamStatus) && isErrorBody(error, requestId);
  return new GatewayError({
    what: own ? 'The gateway refused the call' : 'The hosted service answered with an error',
    method: call.method,
    path: call.path,
    status: response.status,
    code: own ? call.redact(error.code) : undefined,
    text: own ? call.redact(error.message) : undefined,
    requestId,
    source: own ? 'gateway' : 'service',
  });
}

function isErrorBody(body: unknown, requestId: string | undefined): body is ErrorBody {
  return (
    isRecord(body) &&
    typeof body.code === 'string' &&
    typeof body.message === 'string' &&
    body.requestId === requestId
  );
}
