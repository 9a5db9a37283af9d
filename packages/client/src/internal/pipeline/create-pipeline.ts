import { BerthError } from '../../errors.ts';
import { GATEWAY_HEADERS_SECONDS } from '../../generated/contract.gen.ts';
import { networkFailure, pathOf, rememberCall, timeoutFailure } from '../failures.ts';
import { mergeRetry, mergeTimeouts } from '../options.ts';
import { UnknownBodyError } from '../to-body.ts';
import { openDeadline } from './deadline.ts';
import type { Pipeline, PipelineOptions } from './pipeline-call.ts';
import { createPlan, createRenewal } from './retries.ts';

/** A try gets a little more than the gateway gives a service, so that its own answer arrives (D13). */
const DEFAULTS = { perTry: GATEWAY_HEADERS_SECONDS * 1000 + 5_000, total: 120_000 };

/**
 * The one way of all calls: credentials, hooks, limits, and what may be repeated (D6, D26). What most
 * calls do not need (an event, `Headers`) is made where it is needed: all counts beside a `fetch` that
 * takes a tenth of a millisecond.
 */
export function createPipeline(options: PipelineOptions): Pipeline {
  const { fetch = platformFetch, hooks, signer, upstreamStatus, secretHeaders } = options;
  const { redirect = 'follow' } = options;
  const renewal = createRenewal(signer);
  const timeouts = mergeTimeouts(DEFAULTS, options.timeouts);
  const clientRetry = mergeRetry(options.retry);
  const open: Pipeline['open'] = (call) =>
    openDeadline(call.signal, mergeTimeouts(timeouts, call.timeouts), (timeout) =>
      timeoutFailure(call, 'No answer within', timeout),
    );
  const sign: Pipeline['sign'] = (call, headers = call.headers) =>
    signer ? signer.sign(call, headers, renewal.now()) : headers;
  // It is kept as long as its answer, and all that stands around a function with it.
  const describe: Pipeline['describe'] = ({ method, url }, headers) => ({
    method,
    url,
    upstreamStatus,
    secrets: () => secretHeaders.map((name) => headers[name] ?? ''),
  });

  return {
    open,
    sign,
    describe,
    renewal,

    async send(call, finish) {
      const { method, url, body = null, init } = call;
      const deadline = open(call);
      const retry = mergeRetry(clientRetry, call.retry);
      let plan: ReturnType<typeof createPlan> | undefined;
      for (let attempt = 1; ; attempt += 1) {
        const event = hooks && {
          method,
          path: pathOf(url),
          headers: new Headers(call.headers),
          attempt,
        };
        const mark = renewal.mark();
        let again: { readonly delay: number; readonly reason: Response | Error } | undefined;
        try {
          const result = await deadline.step(async (step) => {
            const signal = step.signal();
            if (event) await hooks?.onRequest?.(event);
            // Hooks keep what they see; they never get to see the credentials. Most are at hand at once.
            let headers = sign(call, event && Object.fromEntries(event.headers));
            if (headers instanceof Promise) headers = await headers;
            signal.throwIfAborted();
            const remembered = describe(call, headers);
            // A stream needs `duplex`; with anything else it changes nothing.
            const request = {
              ...init,
              redirect: init?.redirect ?? redirect,
              ...{ method, headers, body, signal, duplex: 'half' as const },
            };
            let response: Response;
            try {
              response = await fetch(url, request);
            } catch (error) {
              if (error instanceof UnknownBodyError) throw error;
              throw networkFailure(remembered, error);
            }
            // Others see it as well; what is read at once needs no memory.
            if (event || !response.ok) rememberCall(response, remembered);
            if (event) await hooks?.onResponse?.({ ...event, response });
            if (!response.ok) {
              const verdict = await options.judge(response);
              step.extend(0);
              plan ??= createPlan(call, retry, deadline, renewal);
              const delay = await plan(verdict, attempt, mark, response.headers, headers);
              if (delay !== undefined) {
                response.body?.cancel().catch(() => {});
                again = { delay, reason: response };
                return;
              }
            }
            step.extend(0);
            return await finish(response, remembered);
          });
          if (!again) return result as Awaited<ReturnType<typeof finish>>;
        } catch (error) {
          // Without a status it is an answer that did not come, or not whole.
          if (!(error instanceof BerthError) || error.status !== undefined) throw error;
          plan ??= createPlan(call, retry, deadline, renewal);
          const delay = await plan('idempotent', attempt, mark);
          if (delay === undefined) throw error;
          again = { delay, reason: error };
        }
        const next = again;
        await deadline.pause(next.delay, () => event && hooks?.onRetry?.({ ...event, ...next }));
      }
    },
  };
}

/**
 * The platform's `fetch`, looked up at each call, so that what replaces it later (a test, a tracer)
 * is met.
 */
export function platformFetch(request: Request | string, init?: RequestInit): Promise<Response> {
  return globalThis.fetch(request, init);
}
