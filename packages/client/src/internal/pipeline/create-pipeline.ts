import { BerthError } from '../../errors/berth-error.ts';
import { GATEWAY_HEADERS_SECONDS } from '../../generated/contract.gen.ts';
import { pathOf } from '../calls.ts';
import { timeoutFailure } from '../timeout-failure.ts';
import { createPlan } from './create-plan.ts';
import { openDeadline } from './deadline.ts';
import type { Pipeline, PipelineOptions } from './pipeline-call.ts';
import { createRenewal } from './renewal.ts';
import { sendOnce, sign } from './send-once.ts';
import { wait } from './wait.ts';

/** A try gets a little more than the gateway gives a service, so that its own answer arrives (D13). */
const DEFAULTS = { perTry: GATEWAY_HEADERS_SECONDS * 1000 + 5_000, total: 120_000 };

/** The one way of all calls: credentials, hooks, limits, and what may be repeated (D6, D26). */
export function createPipeline(options: PipelineOptions): Pipeline {
  const renewal = createRenewal(options.signer);
  return {
    open: (call) =>
      openDeadline(call.signal, { ...DEFAULTS, ...options.timeouts, ...call.timeouts }, (timeout) =>
        timeoutFailure(call, 'No answer within', timeout),
      ),

    sign: (call) => sign(options, call, new Headers(call.headers), renewal.now),

    async send(call, deadline, finish) {
      const plan = createPlan(call, call.retry ?? options.retry ?? {}, deadline, renewal);
      const path = pathOf(call.url);
      for (let attempt = 1; ; attempt += 1) {
        const event = { method: call.method, path, headers: new Headers(call.headers), attempt };
        const mark = renewal.mark();
        let delay: number | undefined;
        let reason: Response | Error;
        try {
          const result = await deadline.step(async ({ signal, lift }) => {
            const { response, sent } = await sendOnce(options, call, event, signal, renewal.now);
            if (!response.ok) {
              const verdict = await options.judge(response);
              lift();
              delay = await plan(verdict, { attempt, mark, answer: response.headers, sent });
              if (delay !== undefined) {
                response.body?.cancel().catch(() => {});
                return { response };
              }
            }
            lift();
            return { value: await finish(response) };
          });
          if (!('response' in result)) return result.value;
          reason = result.response;
        } catch (error) {
          // Without a status it is an answer that did not come, or not whole.
          if (!(error instanceof BerthError) || error.status) throw error;
          delay = await plan('idempotent', { attempt, mark });
          if (delay === undefined) throw error;
          reason = error;
        }
        await deadline.step(async ({ signal, lift }) => {
          lift();
          await options.hooks?.onRetry?.({ ...event, delay: delay ?? 0, reason });
          await wait(delay ?? 0, signal);
        });
      }
    },
  };
}
