import type { Readable } from 'node:stream';
import { UpgradeResponse } from '../http/upgrade-response.ts';
import { type Answer, type Call, FaultError, type Handler } from '../runtime/index.ts';
import { answerUpgrade, TAKEN, type UpgradeSettings } from './answer-upgrade.ts';
import { assertForwardable } from './assert-forwardable.ts';
import type { GatewayCall, GatewayHandler } from './gateway-handlers.ts';
import { toInput } from './to-input.ts';

/**
 * A handler of the runtime: the checks of every gateway call before, the header rules after.
 *
 * @param toCallerAnswer puts the gateway's own headers on what the service answered
 */
export function toGatewayHandler<Caller>(
  handler: GatewayHandler<Caller>,
  toCallerAnswer: (answer: Awaited<ReturnType<GatewayHandler>>, call: Call) => Answer,
  upgrades: UpgradeSettings,
): Handler {
  return async (given, call: Call) => {
    assertForwardable(call);
    const input = toInput(given, call);
    // The security handlers have put `env` there: every operation of the gateway has credentials.
    const { bearerToken, signature } = call.security;
    const known = Object.assign(call, { caller: bearerToken ?? signature });
    if (call.response instanceof UpgradeResponse) {
      const refusal = await answerUpgrade(input, known as never, call.response, upgrades);
      return refusal === undefined ? TAKEN : toCallerAnswer(refusal, call);
    }
    try {
      return toCallerAnswer(await handler(input, known as unknown as GatewayCall<Caller>), call);
    } catch (error) {
      throw faultOf(input.body) ?? error;
    }
  };
}

/** Why a body broke off at the limit (D13), whatever the handler's own call made of it. */
function faultOf(body: Readable | undefined): FaultError | undefined {
  return body?.errored instanceof FaultError ? body.errored : undefined;
}
