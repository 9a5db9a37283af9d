import type { ServerResponse } from 'node:http';
import type { Readable } from 'node:stream';
import { GatewayError } from '@berth/server-stubs';
import { chooseUpstream } from '../upstream/choose-upstream.ts';
import type { Connection } from '../upstream/connection.ts';
import type { Upstream } from '../upstream/upstream.ts';
import { Attempt, type Outcome } from './attempt.ts';
import { Failure } from './failure.ts';
import type { HeadersTimer } from './headers-timer.ts';
import { isRefusedInput } from './is-refused-input.ts';
import { toGatewayError } from './to-gateway-error.ts';

/** A call that is ready to go to any endpoint of a version. */
export interface ReadyCall {
  /** Request target, bytes as they came. */
  readonly target: string;
  readonly method: string;
  /** Names and values in turn. */
  readonly headers: string[];
  readonly body: Readable | Buffer | null;
  /** The protocol to change to, where the call asks for one. */
  readonly upgrade?: string | undefined;
  /** The call ends with it. */
  readonly response: ServerResponse;
  readonly timer: HeadersTimer;
}

/**
 * Calls one of the endpoints, and after an attempt that no service can have seen, one more: another
 * endpoint where there is one. A method that may be repeated also gets a second attempt where an old
 * connection ended without an answer, as a service ends those that were idle (RFC 9112, section 9.3.1). A
 * body that began is never sent again.
 *
 * @throws GatewayError SERVICE_LB_STATUS_ABNORMAL, SERVICE_TIMEOUT, BAD_GATEWAY, INVALID_REQUEST
 */
export function callVersion(
  call: ReadyCall,
  upstreams: readonly Upstream[],
): Promise<Exclude<Outcome, Failure>> {
  const first = chooseUpstream(upstreams, undefined);
  if (first === undefined) throw new GatewayError('SERVICE_LB_STATUS_ABNORMAL');
  const connection = call.upgrade === undefined ? first.take() : first.takeForUpgrade();
  const { isReused } = connection;
  return attempt(call, first, connection).then((outcome) => {
    if (!(outcome instanceof Failure)) return outcome;
    const second = mayRepeat(outcome, call, isReused)
      ? chooseUpstream(upstreams, first)
      : undefined;
    if (second === undefined) throw toGatewayError(outcome, areOut(upstreams));
    return repeat(call, second, upstreams);
  });
}

async function repeat(call: ReadyCall, upstream: Upstream, upstreams: readonly Upstream[]) {
  const fresh = call.upgrade === undefined ? upstream.takeNew() : upstream.takeForUpgrade();
  const outcome = await attempt(call, upstream, fresh);
  if (outcome instanceof Failure) throw toGatewayError(outcome, areOut(upstreams));
  return outcome;
}

function areOut(upstreams: readonly Upstream[]): boolean {
  return upstreams.every(({ health }) => health.isOut);
}

function mayRepeat({ error, wasSent, wasAnswered }: Failure, call: ReadyCall, isReused: boolean) {
  if (call.response.destroyed || error instanceof GatewayError || isRefusedInput(error))
    return false;
  return !wasSent || (isReused && !wasAnswered && call.method !== 'POST');
}

function attempt(call: ReadyCall, upstream: Upstream, connection: Connection): Promise<Outcome> {
  const { target, method, headers, body, upgrade, response, timer } = call;
  return new Promise((resolve) => {
    const tried = new Attempt(upstream, connection, (outcome) => {
      timer.stop();
      if (outcome instanceof Failure) response.off('close', onClose);
      resolve(outcome);
    });
    const onClose = () => tried.leave();
    if (response.destroyed) {
      onClose();
      return;
    }
    response.once('close', onClose);
    timer.start(tried);
    connection.dispatch({ path: target, method, headers, body, upgrade } as never, tried);
  });
}
