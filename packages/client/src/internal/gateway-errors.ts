import { defaultWireProfile } from '@berth/spec/wire-profile';
import { GatewayError } from '../errors.ts';
import { GATEWAY_RETRIES } from '../generated/contract.gen.ts';
import type { components } from '../generated/gateway.v1.gen.ts';
import {
  describeResponse,
  readText,
  rememberCall,
  rememberedCall,
  requestIdOf,
} from './failures.ts';
import { isRecord, parseJson } from './options.ts';
import type { RetryClass } from './pipeline.ts';

type GatewayErrorBody = components['schemas']['GatewayError'];

/** Temporary failures (RFC 9110, section 15.6; RFC 6585, section 4). */
const TRANSIENT_STATUSES = [429, 502, 503, 504];

/**
 * Creates the error for a failed raw call. It distinguishes the gateway's own errors from those of the hosted
 * service: the upstream status header marks responses from the service. Without that header, a body with a
 * `code`, a `message` and a `requestId` equal to `X-Request-Id` marks responses from the gateway (D10).
 *
 * @param result what `gateway.GET` or `gateway.POST` returned
 *
 * @example
 * if (!result.response.ok) throw toGatewayError(result);
 */
export function toGatewayError(result: { error?: unknown; response: Response }): GatewayError {
  const { error, response } = result;
  const own = isGatewayRefusal(error, response);
  return new GatewayError({
    ...describeResponse(response, whatOf(response, own), own ? error : {}),
    source: own ? 'gateway' : 'service',
    retryable: ['any', 'idempotent'].includes(classifyGatewayBody(error, response)),
    body: error,
  });
}

function whatOf(response: Response, isOwn: boolean): string {
  if (isOwn) return 'The gateway rejected the call';
  if (response.type === 'opaqueredirect') {
    return 'The hosted service returned a redirect, which browsers hide';
  }
  const isRedirect = response.status < 400 && response.headers.has('Location');
  return `The hosted service returned ${isRedirect ? 'a redirect, which is not followed' : 'an error'}`;
}

/** Like {@link classifyGatewayBody}, but for a response whose body has not been read yet. */
export async function classifyGateway(response: Response): Promise<RetryClass> {
  const { status } = response;
  if (status < 401 || (status > 401 && status < 429)) return 'never';
  if (isOfService(response)) return classifyGatewayBody(undefined, response);
  const call = rememberedCall(response);
  // Without a body, it is unclear who rejected the call; a new token does no harm.
  if (status === 401 && call.method === 'HEAD') return 'unauthorized';
  const body = parseJson(await readText(rememberCall(response.clone(), call)));
  return classifyGatewayBody(body, response);
}

/**
 * Returns whether a failed gateway response allows a retry, according to `retry` in
 * spec/defaults.yaml. D10 distinguishes the gateway's own refusals from responses of the
 * hosted service, which has executed the call: a POST is not retried after a 503 from the service itself.
 */
function classifyGatewayBody(body: unknown, response: Response): RetryClass {
  const { status } = response;
  if (isGatewayRefusal(body, response)) {
    const { any, idempotent } = GATEWAY_RETRIES as Record<string, readonly string[] | undefined>;
    if (status === 401) return 'unauthorized';
    if (any?.includes(body.code)) return 'any';
    if (idempotent?.includes(body.code)) return 'idempotent';
  }
  return TRANSIENT_STATUSES.includes(status) ? 'idempotent' : 'never';
}

/**
 * Returns whether a response comes from the gateway itself: it is not {@link isOfService}, and its body has a
 * `code`, a `message` and a `requestId` equal to `X-Request-Id` (D10).
 */
function isGatewayRefusal(body: unknown, response: Response): body is GatewayErrorBody {
  return (
    !isOfService(response) &&
    isRecord(body) &&
    typeof body.code === 'string' &&
    typeof body.message === 'string' &&
    body.requestId !== undefined &&
    body.requestId === requestIdOf(response)
  );
}

/** Returns whether a response comes from the hosted service, which the upstream status header shows (D10). */
function isOfService(response: Response): boolean {
  return response.headers.has(
    rememberedCall(response).upstreamStatus ?? defaultWireProfile.gatewayHeaders.upstreamStatus,
  );
}
