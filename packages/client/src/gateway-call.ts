import type { WireProfile } from '@berth/spec/wire-profile';
import type { Session } from './auth.ts';
import { parseJson, readText } from './body.ts';
import { BerthError, type CallInfo } from './errors.ts';
import type { CallOptions, Limits, RetryClass, Send } from './fetch.ts';
import { GATEWAY_RETRIES } from './generated/contract.gen.ts';

/** Options for a call of a hosted service. */
export interface ServiceOptions extends CallOptions {
  /** Headers to send. An `Authorization` header replaces the credentials of the client. */
  readonly headers?: RequestInit['headers'];
}

/** What all calls of a gateway client share. */
export interface GatewayContext {
  readonly send: Send;
  readonly session: Session | undefined;
  readonly headers: RequestInit['headers'];
  readonly limits: Limits;
  readonly errors: ReturnType<typeof createGatewayErrors>;
}

/** Maximum size of an error response that is read, in bytes. */
const ERROR_BYTES = 65_536;

/** Statuses of proxies and of overload, which are temporary (RFC 9110, section 15.6; RFC 6585, section 4). */
const TEMPORARY = [429, 502, 503, 504];

/**
 * Creates functions that read failed responses. They tell the gateway's own errors from those of the hosted service:
 * the service has executed the call, so that a POST must not be sent again.
 */
export function createGatewayErrors({ gatewayHeaders }: WireProfile) {
  /**
   * Returns the body if it is an error of the gateway. A header with the status of the service marks the responses of
   * the service. Without it, an error of the gateway has a `code`, a `message`, and the request ID of the header.
   */
  const toGatewayBody = ({ headers }: Response, body: unknown) => {
    if (headers.has(gatewayHeaders.upstreamStatus)) return undefined;
    const { code, message, requestId } = (body ?? {}) as Record<string, unknown>;
    if (typeof code !== 'string' || typeof message !== 'string') return undefined;
    const isGateway = requestId !== undefined && requestId === headers.get('X-Request-Id');
    return isGateway ? { code, message } : undefined;
  };

  /** Creates the error for a call that the gateway or the hosted service rejected. */
  const toError = (response: Response, body: unknown, call: CallInfo): BerthError => {
    const { status, headers, type } = response;
    const refusal = toGatewayBody(response, body);
    const retryable = ['any', 'idempotent'].includes(toRetryClass(status, refusal?.code));
    const details = { call, response, body, retryable };
    if (refusal) {
      const { code, message: reason } = refusal;
      const what = 'The gateway rejected the call';
      return new BerthError('gateway', what, { ...details, code, reason });
    }
    const isRedirect = type === 'opaqueredirect' || (status < 400 && headers.has('Location'));
    const what = isRedirect ? 'a redirect, which is not followed' : 'an error';
    const { message } = (body ?? {}) as { message?: unknown };
    const reason = typeof message === 'string' ? message : undefined;
    return new BerthError('service', `The service returned ${what}`, { ...details, reason });
  };

  return {
    toError,

    /** Reads a failed response. If that fails, its status and headers have to do. */
    async readError(response: Response, call: CallInfo): Promise<BerthError> {
      const { text } = await readText(response, ERROR_BYTES).catch(() => ({ text: '' }));
      return toError(response, parseJson(text) ?? text, call);
    },

    /** Returns whether a failed response, whose body is unread, allows another attempt. */
    async classify(response: Response): Promise<RetryClass> {
      const { status, headers } = response;
      if (status < 400) return 'never';
      if (headers.has(gatewayHeaders.upstreamStatus)) return toRetryClass(status, undefined);
      // If reading fails, the caller gets the response, and the same failure.
      const { text } = await readText(response.clone(), ERROR_BYTES).catch(() => ({ text: '' }));
      // Without a body, it is unclear who rejected the call. New credentials do no harm.
      if (status === 401 && text === '') return 'unauthorized';
      return toRetryClass(status, toGatewayBody(response, parseJson(text))?.code);
    },
  };
}

/** Returns what the table of the contract says about an error of the gateway, and the status about any other. */
function toRetryClass(status: number, gatewayCode: string | undefined): RetryClass {
  const { any, idempotent }: Record<string, readonly string[] | undefined> = GATEWAY_RETRIES;
  if (gatewayCode !== undefined) {
    if (status === 401) return 'unauthorized';
    if (any?.includes(gatewayCode)) return 'any';
    if (idempotent?.includes(gatewayCode)) return 'idempotent';
  }
  return TEMPORARY.includes(status) ? 'idempotent' : 'never';
}
