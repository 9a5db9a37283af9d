import type { WireProfile } from '@berth/spec/wire-profile';
import { BerthError, type CallInfo } from './errors.ts';
import type { RetryClass } from './fetch.ts';
import { GATEWAY_RETRIES } from './generated/contract.gen.ts';
import { parseJson, readErrorText } from './payload.ts';

/** Reads the failed responses of a gateway. */
export type GatewayErrors = ReturnType<typeof createGatewayErrors>;

/** Statuses of proxies and of overload, which are temporary (RFC 9110, section 15.6; RFC 6585, section 4). */
const TEMPORARY = [429, 502, 503, 504];

/** The fields that the gateway's own errors always have. */
interface GatewayBody {
  readonly code: string;
  readonly message: string;
}

/**
 * Creates functions that read failed responses. They tell the gateway's own errors from those of the hosted service:
 * the service has executed the call, so that a POST must not be sent again.
 */
export function createGatewayErrors({ gatewayHeaders }: WireProfile) {
  /**
   * Returns the body if it is an error of the gateway. A header with the status of the service marks the responses of
   * the service. Without it, an error of the gateway has a `code`, a `message`, and the request ID of the header.
   */
  const toGatewayBody = ({ headers }: Response, body: unknown): GatewayBody | undefined => {
    if (headers.has(gatewayHeaders.upstreamStatus)) return undefined;
    const { code, message, requestId } = (body ?? {}) as Record<string, unknown>;
    if (typeof code !== 'string' || typeof message !== 'string') return undefined;
    const isGateway = requestId !== undefined && requestId === headers.get('X-Request-Id');
    return isGateway ? { code, message } : undefined;
  };

  return {
    /** Returns whether a failed response, whose body is unread, allows another attempt. */
    async classify(response: Response): Promise<RetryClass> {
      const { status, headers } = response;
      if (status < 400) return 'never';
      if (headers.has(gatewayHeaders.upstreamStatus)) return toRetryClass(status, undefined);
      // If reading fails, the caller gets the response, and the same failure.
      const text = await readErrorText(response.clone()).catch(() => '');
      // Without a body, it is unclear who rejected the call. New credentials do no harm.
      if (status === 401 && text === '') return 'unauthorized';
      return toRetryClass(status, toGatewayBody(response, parseJson(text)));
    },

    /** Creates the error for a call that the gateway or the hosted service rejected. */
    toError(response: Response, body: unknown, { method = 'GET', url }: CallInfo): BerthError {
      const { status, headers, type } = response;
      const refusal = toGatewayBody(response, body);
      const retryClass = toRetryClass(status, refusal);
      const details = {
        method,
        url,
        status,
        requestId: headers.get('X-Request-Id') ?? undefined,
        retryable: retryClass === 'any' || retryClass === 'idempotent',
        body,
      };
      if (refusal) {
        const { code, message: reason } = refusal;
        const failure = { ...details, code, reason };
        return new BerthError('gateway', 'The gateway rejected the call', failure);
      }
      const isRedirect = type === 'opaqueredirect' || (status < 400 && headers.has('Location'));
      const what = isRedirect ? 'a redirect, which is not followed' : 'an error';
      const { message } = (body ?? {}) as { message?: unknown };
      const reason = typeof message === 'string' ? message : undefined;
      return new BerthError('service', `The service returned ${what}`, { ...details, reason });
    },
  };
}

/** Returns what the table of the contract says about an error of the gateway, and the status about any other. */
function toRetryClass(status: number, body: GatewayBody | undefined): RetryClass {
  const { any, idempotent } = GATEWAY_RETRIES as Record<string, readonly string[] | undefined>;
  if (body && status === 401) return 'unauthorized';
  if (body && any?.includes(body.code)) return 'any';
  if (body && idempotent?.includes(body.code)) return 'idempotent';
  return TEMPORARY.includes(status) ? 'idempotent' : 'never';
}
