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
  return (given, call: Call) => {
    assertForwardable(call);
    const input = toInput(given, call);
    // The security handlers have put `env` there: every operation of the gateway has credentials.
    const { bearerToken, signature } = call.security;
    const known = call as unknown as Omit<GatewayCall<Caller>, 'caller'> & { caller: unknown };
    known.caller = bearerToken ?? signature;
    if (call.response instanceof UpgradeResponse) {
      return answerUpgrade(input, known as never, call.response, upgrades).then((refusal) =>
        refusal === undefined ? TAKEN : toCallerAnswer(refusal, call),
      );
    }
    const fail = (error: unknown) => {
      throw faultOf(input.body) ?? error;
    };
    try {
      const answer = handler(input, known as GatewayCall<Caller>);
      return isPromise(answer)
        ? answer.then((late) => toCallerAnswer(late, call), fail)
        : toCallerAnswer(answer, call);
    } catch (error) {
      return fail(error);
    }
  };
}

/** Why a body broke off at the limit (D13), whatever the handler's own call made of it. */
function faultOf(body: Readable | undefined): FaultError | undefined {
  return body?.errored instanceof FaultError ? body.errored : undefined;
}

function isPromise<Value>(value: Value | Promise<Value>): value is Promise<Value> {
  return typeof (value as PromiseLike<Value> | undefined)?.then === 'function';
}
