import type { KnownGatewayErrorCode } from '../generated/contract.gen.ts';
import { BerthError, type BerthErrorDetails, isOfFamily } from './berth-error.ts';

/** A code of the gateway. The known ones are offered by editors; the list is open. */
export type GatewayErrorCode = KnownGatewayErrorCode | (string & Record<never, never>);

/** What a {@link GatewayError} is made of. */
export interface GatewayErrorDetails extends BerthErrorDetails {
  /** HTTP status of the answer. */
  readonly status: number;
  /** Who ended the call: the gateway, or the hosted service behind it. */
  readonly source: 'gateway' | 'service';
  /** Whether the same call may succeed later. Default: `false`. */
  readonly retryable?: boolean;
  /** The body of the answer: parsed where it is JSON, else text. Default: none. */
  readonly body?: unknown;
}

/**
 * A gateway call that failed. `source` tells who refused it: the gateway itself, with a `code`, or
 * the hosted service, whose body has no fixed form and so gives no `code` (D10).
 *
 * @example
 * await gateway.service('hello').get('status').catch((error) => {
 *   if (!isGatewayError(error) || error.code !== 'SERVICE_NOT_FOUND') throw error;
 * });
 */
export class GatewayError extends BerthError {
  /** Always `GatewayError`. */
  override readonly name = 'GatewayError';
  declare readonly code: GatewayErrorCode | undefined;
  declare readonly status: number;
  /** Who ended the call: the gateway, or the hosted service behind it. */
  declare readonly source: 'gateway' | 'service';
  /** Whether the same call may succeed later. Where it is a POST, it may have been executed. */
  declare readonly retryable: boolean;
  readonly #body: unknown;

  constructor({ body, ...details }: GatewayErrorDetails) {
    super({ retryable: false, ...details });
    this.#body = body;
  }

  /** The body of the answer: parsed where it is JSON, else text. A log does not show it by itself. */
  body(): unknown {
    return this.#body;
  }
}

/**
 * Whether an error is a {@link GatewayError}, also of another copy of this package.
 *
 * @example
 * if (isGatewayError(error) && error.code === 'SERVICE_NOT_READY') await startService();
 */
export function isGatewayError(error: unknown): error is GatewayError {
  return isOfFamily(error, 'GatewayError');
}
