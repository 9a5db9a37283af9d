import { GatewayError, type GatewayErrorCode } from '@berth/server-stubs';
import { attempt, type Failure, isRefusedInput, type Outcome, type ReadyCall } from './attempt.ts';
import type { Pool } from './pool.ts';
import type { Upstream } from './upstream.ts';

/**
 * Calls one of a version's endpoints. If the request cannot have reached a service, retries once, at another
 * endpoint if there is one. Idempotent methods are also retried if there was no response (RFC 9110, section
 * 9.2.2): at another endpoint, or at the same endpoint if a reused connection was closed, because services
 * close idle connections (RFC 9112, section 9.3.1). A call is never retried after part of its body has been
 * sent or after a timeout.
 * @throws GatewayError
 */
export async function callVersion(call: ReadyCall, pool: Pool): Promise<Exclude<Outcome, Failure>> {
  const isUpgrade = call.upgrade !== undefined;
  const first = pool.take() ?? (await pool.wait(call.response));
  if (first === undefined) throw new GatewayError(toUnsentCode(call));
  const connection = isUpgrade ? first.takeForUpgrade() : first.take();
  const { isReused } = connection;
  let outcome = await attempt(call, first, connection);
  if ('error' in outcome) {
    const second = findSecond(outcome, call, pool, first, isReused);
    if (second !== undefined) {
      second.begin();
      const fresh = isUpgrade ? second.takeForUpgrade() : second.takeNew();
      outcome = await attempt(call, second, fresh);
    }
  }
  if ('error' in outcome) throw toGatewayError(outcome, call, pool);
  return outcome;
}

/** Creates the gateway's own error for a call that failed before its response began. */
function toGatewayError({ error, wasSent }: Failure, call: ReadyCall, { targets }: Pool): Error {
  if (error instanceof GatewayError) return error;
  const cause = error;
  if ((error as NodeJS.ErrnoException).code === 'UND_ERR_BODY_TIMEOUT') {
    return new GatewayError('SERVICE_TIMEOUT', { cause });
  }
  if (!wasSent && isRefusedInput(error)) {
    const message = 'The request cannot be forwarded.';
    return new GatewayError('INVALID_REQUEST', { message, cause });
  }
  const areAllEjected = targets.every(({ upstream }) => upstream.health.isEjected);
  const isUnsent = !wasSent && (call.mayStart || areAllEjected);
  return new GatewayError(isUnsent ? toUnsentCode(call) : 'BAD_GATEWAY', { cause });
}

function toUnsentCode({ mayStart }: ReadyCall): GatewayErrorCode {
  return mayStart ? 'SERVICE_NOT_READY' : 'SERVICE_LB_STATUS_ABNORMAL';
}

/** Returns the endpoint to retry at; undefined if the call must not be retried. */
function findSecond(
  { error, wasSent, hasResponse }: Failure,
  { response, method }: ReadyCall,
  pool: Pool,
  first: Upstream,
  isReused: boolean,
): Upstream | undefined {
  const isFinal = error instanceof GatewayError || isRefusedInput(error);
  if (response.destroyed || isFinal) return undefined;
  if (wasSent && (hasResponse || method === 'POST')) return undefined;
  const second = pool.choose(first);
  return wasSent && !isReused && second === first ? undefined : second;
}
