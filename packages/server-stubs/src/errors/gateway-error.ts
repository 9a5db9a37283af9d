import { applyDispositionRules } from '../gateway/apply-disposition-rules.ts';
import { GATEWAY_ERRORS } from '../generated/errors.gen.ts';
import { type Answer, type Call, toAnswer } from '../runtime/index.ts';
import { ContractError, type ContractErrorOptions } from './contract-error.ts';
import type { OpenCode } from './open-code.ts';

const TYPE = 'application/json';

/** A code of the gateway. The known ones are offered by editors; the list is open. */
export type GatewayErrorCode = OpenCode<keyof typeof GATEWAY_ERRORS>;

/**
 * Ends a gateway call with an error of the gateway. Status, text and `Retry-After` come from the table
 * of the contract (D6) unless they are given here; the body is `{ code, message, requestId }`, and
 * `X-Request-Id` equals `requestId` (D9).
 *
 * @example
 * throw new GatewayError('SERVICE_NOT_READY', { retryAfter: 5 });
 */
export class GatewayError extends ContractError {
  override readonly name = 'GatewayError';
  declare readonly code: GatewayErrorCode;

  constructor(code: GatewayErrorCode, options?: ContractErrorOptions) {
    super(GATEWAY_ERRORS, code, options);
  }

  /** The answer of the runtime to this error. */
  [toAnswer]({ request, requestId }: Pick<Call, 'request' | 'requestId'>): Answer {
    const { code, message } = this;
    const headers = { ...this.headers, 'x-request-id': requestId, 'content-type': TYPE };
    return {
      status: this.status,
      // D8: "the gateway's own errors on GET carry it too".
      headers: applyDispositionRules(request, headers) as Record<string, string>,
      body: { code, message, requestId },
    };
  }
}
