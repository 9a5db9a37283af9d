import type { WireProfile } from '@berth/spec/wire-profile';
import { parseJson, readText } from './body.ts';
import { BerthError, type CallInfo } from './errors.ts';
import { UPSTREAM_STATUS } from './generated/contract.gen.ts';
import { retryOfGateway } from './retry-rules.ts';

/** How much of an error is read to classify it, in bytes. The caller may wait for the rest as a stream. */
const STREAM_BYTES = 65_536;

export type GatewayErrors = ReturnType<typeof createGatewayErrors>;

export function createGatewayErrors(wireProfile?: WireProfile) {
  /** Name of the header that all responses of hosted services have. */
  const upstreamStatus = wireProfile?.gatewayHeaders.upstreamStatus ?? UPSTREAM_STATUS;

  /**
   * An error of the gateway has no upstream-status header, but a `code`, a `message`, and a `requestId` equal to the
   * `X-Request-Id` header.
   */
  const parse = ({ status, headers }: Response, body: unknown) => {
    const { code, message, requestId } = (body ?? {}) as Record<string, unknown>;
    const reason = typeof message === 'string' ? message : undefined;
    const isFromGateway =
      typeof code === 'string' &&
      reason !== undefined &&
      requestId &&
      requestId === headers.get('X-Request-Id') &&
      !headers.has(upstreamStatus);
    const gatewayCode = isFromGateway && code ? code : undefined;
    return { code: gatewayCode, reason, retry: retryOfGateway(status, gatewayCode) };
  };

  return {
    /** Creates the error for a call that the gateway or the service rejected. Reads the body, unless it is known. */
    async toGatewayError(response: Response, info: CallInfo, knownBody?: unknown) {
      const body = knownBody === undefined ? await readErrorBody(response) : knownBody;
      const { code, reason, retry } = parse(response, body);
      const details = { info, response, body, code, reason, retryable: retry !== 'never' };
      if (code) return new BerthError('gateway', 'The gateway rejected the call', details);
      // Browsers hide a redirect behind the status 0 (Fetch, section 3.1.5). A 304 is not a redirect.
      const isRedirect = response.status < 400 && response.status !== 304;
      const failure = isRedirect ? 'a redirect, which is not followed' : 'an error';
      return new BerthError('service', `The service returned ${failure}`, details);
    },

    /**
     * Returns which calls may be retried after a failed response, whose body is unread. If the hosted service sent it,
     * the service has executed the call, so a POST must not be retried.
     */
    async classify(response: Response) {
      const isFromService = response.headers.has(upstreamStatus);
      const body = isFromService ? undefined : await readErrorBody(response.clone());
      const { code, retry } = parse(response, body);
      // Without a body, it is unclear who rejected the call. Retrying with new credentials is harmless.
      return response.status === 401 && (code || body === '') ? 'renew' : retry;
    },
  };
}

/** Reads the body of a failed response. If it is interrupted, only status and headers are used. */
async function readErrorBody(response: Response): Promise<unknown> {
  const text = await readText(response, STREAM_BYTES).catch(() => '');
  return parseJson(text, text);
}
