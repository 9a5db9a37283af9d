import { parseJson, readText } from './body.ts';
import { BerthError, type CallInfo } from './errors.ts';
import type { RetryClass } from './fetch.ts';
import { GATEWAY_RETRIES } from './generated/contract.gen.ts';

/** How much of an error is read to classify it, in bytes. The caller may wait for the rest as a stream. */
const STREAM_BYTES = 65_536;

/** Statuses of proxies and of overload, which are temporary (RFC 9110, section 15.6; RFC 6585, section 4). */
const TEMPORARY = [429, 502, 503, 504];

/** Creates the error for a call that the gateway or the service rejected. Reads the body, unless it is known. */
export async function toGatewayError(
  response: Response,
  info: CallInfo,
  upstreamStatus: string,
  knownBody?: unknown,
): Promise<BerthError> {
  const body = knownBody === undefined ? await readErrorBody(response) : knownBody;
  const { code, reason, retryClass } = toFailure(response, body, upstreamStatus);
  const retryable = retryClass === 'any' || retryClass === 'idempotent';
  const details = { info, response, body, code, reason, retryable };
  if (code) return new BerthError('gateway', 'The gateway rejected the call', details);
  const { status, headers } = response;
  // Browsers hide a redirect behind the status 0 (Fetch, section 3.1.5).
  const isRedirect = !status || (status < 400 && headers.has('Location'));
  const what = isRedirect ? 'a redirect, which is not followed' : 'an error';
  return new BerthError('service', `The service returned ${what}`, details);
}

/**
 * Returns whether a failed response, whose body is unread, allows another attempt. If it is one of the hosted service,
 * the service has executed the call, so that a POST must not be sent again.
 */
export async function classifyGateway(response: Response, upstreamStatus: string) {
  if (response.status < 400) return 'never';
  const isFromService = response.headers.has(upstreamStatus);
  const body = isFromService ? undefined : await readErrorBody(response.clone());
  return toFailure(response, body, upstreamStatus).retryClass;
}

/** Reads the body of a failed response. If it breaks off, only status and headers are used. */
async function readErrorBody(response: Response): Promise<unknown> {
  const text = await readText(response, STREAM_BYTES).catch(() => '');
  return parseJson(text, text);
}

/**
 * An error of the gateway has no upstream-status header, but a `code`, a `message`, and the request ID of its header.
 * Known codes are retried according to the table of the contract, other errors according to their status.
 */
function toFailure({ status, headers }: Response, body: unknown, upstreamStatus: string) {
  const { code, message, requestId } = (body ?? {}) as Record<string, unknown>;
  const reason = typeof message === 'string' ? message : undefined;
  const isFromGateway =
    typeof code === 'string' &&
    reason !== undefined &&
    requestId &&
    requestId === headers.get('X-Request-Id') &&
    !headers.has(upstreamStatus);
  const gatewayCode = isFromGateway ? code : '';
  let retryClass: RetryClass = TEMPORARY.includes(status) ? 'idempotent' : 'never';
  if (Object.hasOwn(GATEWAY_RETRIES, gatewayCode)) {
    retryClass = GATEWAY_RETRIES[gatewayCode as keyof typeof GATEWAY_RETRIES];
  }
  // Without a body, it is unclear who rejected the call. Retrying with new credentials is harmless.
  if (status === 401 && (gatewayCode || body === '')) retryClass = 'unauthorized';
  return { code: gatewayCode || undefined, reason, retryClass };
}
