import type { KnownGatewayErrorCode } from '../generated/contract.gen.ts';
import { BerthError, type BerthErrorDetails } from './berth-error.ts';

/** A code of the gateway. The known ones are offered by editors; the list is open. */
export type GatewayErrorCode = KnownGatewayErrorCode | (string & Record<never, never>);

/**
 * A gateway call that failed. `source` tells who refused it: the gateway itself, with a `code`, or
 * the hosted service, whose body has no fixed form and so gives no `code` (D10).
 *
 * @example
 * const result = await gateway.GET('/v1/cloudrun/{name}', { params: { path: { name: 'hello' } } });
 * if (!result.response.ok) throw toGatewayError(result);
 */
export class GatewayError extends BerthError {
  override readonly name = 'GatewayError';
  declare readonly code: GatewayErrorCode | undefined;
  /** Who ended the call: the gateway, or the hosted service behind it. */
  readonly source: 'gateway' | 'service';

  constructor(details: BerthErrorDetails & { readonly source: 'gateway' | 'service' }) {
    super(details);
    this.source = details.source;
  }
}

/**
 * Whether an error is a {@link GatewayError}.
 *
 * @example
 * if (isGatewayError(error) && error.code === 'SERVICE_NOT_READY') await startService();
 */
export function isGatewayError(error: unknown): error is GatewayError {
  return error instanceof GatewayError;
}
