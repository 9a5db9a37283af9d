import { BerthError } from '../../errors.ts';
import { GATEWAY_HEADERS_SECONDS } from '../../generated/contract.gen.ts';
import { networkFailure, pathOf, rememberCall, timeoutFailure } from '../failures.ts';
import { mergeRetry, mergeTimeouts } from '../options.ts';
import { UnknownBodyError } from '../to-body.ts';
import { openDeadline } from './deadline.ts';
import type { Pipeline, PipelineCall, PipelineOptions } from './pipeline-call.ts';
import { createRenewal, createRetryPolicy, runTries } from './retries.ts';

/** Slightly longer than the gateway waits for a service, so that the gateway's own response arrives (D13). */
const DEFAULTS = { perTry: GATEWAY_HEADERS_SECONDS * 1000 + 5_000, total: 120_000 };

/**
 * Creates the pipeline that all calls pass through. It adds credentials, runs hooks, enforces time limits and
 * retries failed calls (D6, D26).
 */
export function createPipeline(options: PipelineOptions): Pipeline {
  const { fetch = platformFetch, hooks, signer, upstreamStatus, secretHeaders } = options;
  const renewal = createRenewal(signer);
  const timeouts = mergeTimeouts(DEFAULTS, options.timeouts);
  const clientRetry = mergeRetry(options.retry);
  const open: Pipeline['open'] = (call) =>
    openDeadline(call.signal, mergeTimeouts(timeouts, call.timeouts), (timeout) =>
      timeoutFailure(call, 'No response within', timeout),
    );
  const sign: Pipeline['sign'] = async (call, headers = call.headers) =>
    signer ? signer.sign(call, headers, renewal.now()) : headers;
  // Lives as long as its response, and so does everything captured by closures that are defined here.
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

    async send<T>(call: PipelineCall, finish?: (response: Response) => T | Promise<T>) {
      const { method, url, body = null, init } = call;
      const redirect = init?.redirect ?? options.redirect ?? 'follow';
      const deadline = open(call);
      const retry = mergeRetry(clientRetry, call.retry);
      const nextDelay = createRetryPolicy(call, retry, deadline, renewal);
      return runTries(deadline, hooks, async (attempt) => {
        // Only needed for hooks.
        const event = hooks && {
          method,
          path: pathOf(url),
          headers: new Headers(call.headers),
          attempt,
        };
        const mark = renewal.mark();
        try {
          return await deadline.step(async (step) => {
            const signal = step.signal();
            if (event) await hooks.onRequest?.(event);
            // Hooks may keep what they receive, so they never receive credentials.
            const headers = await sign(call, event && Object.fromEntries(event.headers));
            signal.throwIfAborted();
            const sent = describe(call, headers);
            // Streams need `duplex`; other bodies ignore it.
            const request = { method, headers, body, signal, redirect, duplex: 'half' };
            let response: Response;
            try {
              response = await fetch(url, { ...init, ...request } as RequestInit);
            } catch (error) {
              throw error instanceof UnknownBodyError ? error : networkFailure(sent, error);
            }
            rememberCall(response, sent);
            if (event) await hooks.onResponse?.({ ...event, response });
            if (!response.ok) {
              const retryClass = await options.classify(response);
              step.extend(0);
              const failed = { attempt, mark, response: response.headers, headers };
              const delay = await nextDelay(retryClass, failed);
              if (delay !== undefined) {
                response.body?.cancel().catch(() => {});
                return { delay, reason: response, event };
              }
            }
            step.extend(0);
            return { result: finish ? await finish(response) : (response as T) };
          });
        } catch (error) {
          // No status means that the response is missing or incomplete.
          if (!(error instanceof BerthError) || error.status !== undefined) throw error;
          const delay = await nextDelay('idempotent', { attempt, mark });
          if (delay === undefined) throw error;
          return { delay, reason: error, event };
        }
      });
    },
  };
}

/**
 * Looks up the platform's `fetch` for each call, so that later replacements (by a test or a tracer) take
 * effect.
 */
export function platformFetch(request: Request | string, init?: RequestInit): Promise<Response> {
  return globalThis.fetch(request, init);
}
