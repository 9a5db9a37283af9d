import type { WireProfile } from '@berth/spec/wire-profile';
import type { Session } from './auth.ts';
import { parseJson, readText } from './body.ts';
import { BerthError, type CallInfo } from './errors.ts';
import type { RetryClass, Send } from './fetch.ts';
import { GATEWAY_RETRIES } from './generated/contract.gen.ts';
import type { CallOptions, Limits } from './limits.ts';

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
  /** Calls {@link toGatewayError} with the wire profile. */
  readonly toError: (response: Response, call: CallInfo, body?: unknown) => Promise<BerthError>;
}

/** Maximum size of an error response that is read, in bytes. */
const ERROR_BYTES = 65_536;

/** Statuses of proxies and of overload, which are temporary (RFC 9110, section 15.6; RFC 6585, section 4). */
const TEMPORARY = [429, 502, 503, 504];

/** Creates the error for a call that the gateway or the service rejected. Reads the body, unless it is known. */
export async function toGatewayError(
  response: Response,
  call: CallInfo,
  profile: WireProfile,
  knownBody?: unknown,
): Promise<BerthError> {
  const body = knownBody ?? (await readBody(response));
  const { status, headers, type } = response;
  const refusal = toRefusal(response, body, profile);
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
}

/**
 * Returns whether a failed response, whose body is unread, allows another attempt. If it is one of the hosted service,
 * the service has executed the call, so that a POST must not be sent again.
 */
export async function classify(response: Response, profile: WireProfile): Promise<RetryClass> {
  const { status } = response;
  if (status < 400) return 'never';
  if (isOfService(response, profile)) return toRetryClass(status);
  const body = await readBody(response.clone());
  // Without a body, it is unclear who rejected the call. New credentials do no harm.
  if (status === 401 && body === '') return 'unauthorized';
  return toRetryClass(status, toRefusal(response, body, profile)?.code);
}

/** Reads the body of a failed response. If that fails, its status and headers must suffice. */
async function readBody(response: Response): Promise<unknown> {
  const { text } = await readText(response, ERROR_BYTES).catch(() => ({ text: '' }));
  return parseJson(text) ?? text;
}

/** A header with the status of the service marks the responses of the service. */
function isOfService({ headers }: Response, { gatewayHeaders }: WireProfile): boolean {
  return headers.has(gatewayHeaders.upstreamStatus);
}

/**
 * Returns the fields of an error of the gateway: without the upstream-status header, a response with a `code`, a
 * `message`, and the request ID of its header.
 */
function toRefusal(response: Response, body: unknown, profile: WireProfile) {
  const { code, message, requestId } = (body ?? {}) as Record<string, unknown>;
  if (typeof code !== 'string' || typeof message !== 'string' || !requestId) return undefined;
  const isRefusal = requestId === response.headers.get('X-Request-Id');
  return isRefusal && !isOfService(response, profile) ? { code, message } : undefined;
}

/** Returns what the table of the contract says about an error of the gateway, and the status about any other. */
function toRetryClass(status: number, gatewayCode?: string): RetryClass {
  const { any, idempotent }: Record<'any' | 'idempotent', readonly string[]> = GATEWAY_RETRIES;
  if (gatewayCode !== undefined && status === 401) return 'unauthorized';
  if (any.includes(gatewayCode ?? '')) return 'any';
  const isTemporary = TEMPORARY.includes(status) || idempotent.includes(gatewayCode ?? '');
  return isTemporary ? 'idempotent' : 'never';
}
