import { GatewayError } from '@berth/server-stubs';
import { attempt, type Failure, isRefusedInput, type Outcome, type ReadyCall } from './attempt.ts';
import type { Pool } from './pool.ts';

/** How many endpoints to try, if the first ones cannot be reached. */
const MAX_ATTEMPTS = 3;

/**
 * Calls one of a version's endpoints. If the request cannot have reached a service, tries the next endpoints, or the
 * only one again. Idempotent methods are also retried if there was no response (RFC 9110, section
 * 9.2.2): at another endpoint, or at the same endpoint if a reused connection was closed, because services
 * close idle connections (RFC 9112, section 9.3.1). A call is never retried after part of its body has been
 * sent or after a timeout.
 * @throws GatewayError
 */
export async function callVersion(call: ReadyCall, pool: Pool): Promise<Exclude<Outcome, Failure>> {
  const upstreams = pool.takeTurn();
  const attempts = Math.min(Math.max(upstreams.length, 2), MAX_ATTEMPTS);
  let failure: Failure | undefined;
  let isSecondSend = false;
  for (let count = 0; count < attempts; count += 1) {
    const upstream = upstreams[count % upstreams.length];
    if (upstream === undefined) break;
    const connection = upstream.take({ isUpgrade: call.upgrade !== undefined, isNew: count > 0 });
    const { isReused } = connection;
    const outcome = await attempt(call, upstream, connection);
    if (!('error' in outcome)) return outcome;
    failure = outcome;
    if (isFinal(outcome, call)) break;
    if (!outcome.wasSent) continue;
    if (isSecondSend || (!isReused && upstreams.length === 1)) break;
    isSecondSend = true;
  }
  throw toGatewayError(failure as Failure);
}

/** Creates the gateway's own error for a call that failed before its response began. */
function toGatewayError({ error, wasSent }: Failure): Error {
  if (error instanceof GatewayError) return error;
  const cause = error;
  if (wasSent) return new GatewayError('BAD_GATEWAY', { cause });
  if (isRefusedInput(error)) {
    const message = 'The request cannot be forwarded.';
    return new GatewayError('INVALID_REQUEST', { message, cause });
  }
  return new GatewayError('SERVICE_LB_STATUS_ABNORMAL', { cause });
}

/** Returns whether a call must not be sent again. */
function isFinal(
  { error, wasSent, hasResponse }: Failure,
  { response, method }: ReadyCall,
): boolean {
  if (response.destroyed || error instanceof GatewayError || isRefusedInput(error)) return true;
  return wasSent && (hasResponse || method === 'POST');
}
