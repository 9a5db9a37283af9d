import { GatewayError } from './errors/gateway-error.ts';
import { describeAnswer } from './internal/describe-answer.ts';
import { isGatewayRefusal } from './internal/is-gateway-refusal.ts';
import { judgeGatewayBody } from './internal/judge-gateway.ts';

/**
 * The error of a failed raw call. It tells the gateway's own errors from those of the hosted service:
 * the header of the upstream status marks the service's answers, and without it a body with `code`,
 * `message` and a `requestId` equal to `X-Request-Id` marks the gateway's (D10).
 *
 * @param result what `GET` or `POST` of a gateway client gave
 *
 * @example
 * if (!result.response.ok) throw toGatewayError(result);
 */
export function toGatewayError(result: { error?: unknown; response: Response }): GatewayError {
  const { error, response } = result;
  const own = isGatewayRefusal(error, response);
  return new GatewayError({
    ...describeAnswer(response, whatOf(response, own), own ? error : {}),
    source: own ? 'gateway' : 'service',
    retryable: ['any', 'idempotent'].includes(judgeGatewayBody(error, response)),
    body: error,
  });
}

function whatOf(response: Response, isOwn: boolean): string {
  if (isOwn) return 'The gateway refused the call';
  if (response.type === 'opaqueredirect') {
    return "The hosted service answered with a redirect, which browsers do not show; with redirect: 'follow' it is followed";
  }
  const isRedirect = response.status < 400 && response.headers.has('Location');
  return `The hosted service answered with ${isRedirect ? 'a redirect, which is not followed' : 'an error'}`;
}
