import { GatewayError } from '@berth/server-stubs';
import { Attempt, Failure, isRefusedInput, type Outcome, type ReadyCall } from './attempt.ts';
import { chooseUpstream, type Target } from './choose-upstream.ts';
import type { Connection, Upstream } from './upstream.ts';

/**
 * Calls one of the endpoints, and after an attempt that no service can have seen, one more: another
 * endpoint where there is one. A method that may be repeated also gets a second attempt where nothing was
 * answered (RFC 9110, section 9.2.2): at another endpoint, or at the same one where an old connection
 * ended, as a service ends those that were idle (RFC 9112, section 9.3.1). A body that began is never sent
 * again, and nobody waits twice for the time to run out.
 *
 * @throws GatewayError SERVICE_LB_STATUS_ABNORMAL, SERVICE_TIMEOUT, BAD_GATEWAY, INVALID_REQUEST
 */
export function callVersion(
  call: ReadyCall,
  targets: readonly Target[],
): Promise<Exclude<Outcome, Failure>> {
  const first = chooseUpstream(targets, undefined);
  if (first === undefined) throw new GatewayError('SERVICE_LB_STATUS_ABNORMAL');
  return new Promise((resolve, reject) => {
    const conclude = (outcome: Outcome) => {
      if (outcome instanceof Failure) reject(toGatewayError(outcome, areOut(targets)));
      else resolve(outcome);
    };
    const connection = call.upgrade === undefined ? first.take() : first.takeForUpgrade();
    const { isReused } = connection;
    new Attempt(call, first, connection, (outcome) => {
      const second =
        outcome instanceof Failure ? secondFor(outcome, call, targets, first, isReused) : undefined;
      if (second === undefined) conclude(outcome);
      else new Attempt(call, second, freshOf(second, call), conclude).begin();
    }).begin();
  });
}

/**
 * An error of the gateway's own, in place of a call that failed before its answer began.
 *
 * @param areAllOut whether no endpoint of the version is in any more
 */
function toGatewayError({ error, wasSent }: Failure, areAllOut: boolean): Error {
  if (error instanceof GatewayError) return error;
  const cause = error;
  if (!wasSent && isRefusedInput(error)) {
    const message = 'The request cannot be passed on as it is.';
    return new GatewayError('INVALID_REQUEST', { message, cause });
  }
  if (!wasSent && areAllOut) return new GatewayError('SERVICE_LB_STATUS_ABNORMAL', { cause });
  return new GatewayError('BAD_GATEWAY', { cause });
}

function areOut(targets: readonly Target[]): boolean {
  return targets.every(({ upstream }) => upstream.health.isOut);
}

function secondFor(
  { error, wasSent, wasAnswered }: Failure,
  { response, method }: ReadyCall,
  targets: readonly Target[],
  first: Upstream,
  isReused: boolean,
): Upstream | undefined {
  if (response.destroyed || error instanceof GatewayError || isRefusedInput(error))
    return undefined;
  if (wasSent && (wasAnswered || method === 'POST')) return undefined;
  const second = chooseUpstream(targets, first);
  return wasSent && !isReused && second === first ? undefined : second;
}

function freshOf(upstream: Upstream, { upgrade }: ReadyCall): Connection {
  return upgrade === undefined ? upstream.takeNew() : upstream.takeForUpgrade();
}
