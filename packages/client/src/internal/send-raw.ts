import createClient, { type FetchOptions, type Middleware } from 'openapi-fetch';
import type { CallOptions } from '../call-options.ts';
import { ContractError } from '../errors/contract-error.ts';
import { rememberCall, rememberedCall } from './calls.ts';
import { contractFailure } from './contract-failure.ts';
import { describeAnswer } from './describe-answer.ts';
import { LightRequest } from './pipeline/light-request.ts';
import { networkFailure } from './pipeline/network-failure.ts';
import type { Pipeline, PipelineCall } from './pipeline/pipeline-call.ts';
import { toPath } from './to-path.ts';

const PARTS = { ContractError, describeAnswer };

type RawInit = CallOptions & Omit<FetchOptions<unknown>, 'signal'>;

/** Sends one raw call. */
export type SendRaw = (
  method: 'GET' | 'POST',
  path: string,
  init: RawInit,
  middleware: readonly Middleware[],
) => Promise<unknown>;

/**
 * The raw calls: `openapi-fetch` builds them and reads their answers, the pipeline sends them. The
 * total time covers the body, unless it is handed out as a stream.
 */
export function createSendRaw(
  pipeline: Pipeline,
  baseUrl: string,
  headers: RequestInit['headers'],
): SendRaw {
  const client = createClient<Record<string, never>>({
    baseUrl,
    ...(headers && { headers: new Headers(headers) }),
    pathSerializer: toPath,
    // Its own default is to follow redirects.
    redirect: undefined as never,
    Request: LightRequest as unknown as typeof Request,
  });
  return async (method, path, init, middleware) => {
    const call = { ...init, method, url: path };
    const all = [...middleware, ...(init.middleware ?? [])];
    let answer: Response | undefined;
    try {
      // The limits of the whole: those that the pipeline opens end with the headers.
      return await pipeline.open(call).step((step) => {
        step.extend(0);
        const signal = step.signal();
        const fetch = async (request: Request): Promise<Response> => {
          call.url = request.url;
          answer = await pipeline.send(toCall(request, { ...init, signal }), rememberCall);
          return answer;
        };
        const run = client[method] as unknown as (path: string, init: object) => Promise<unknown>;
        return run(path, { ...init, fetch, middleware: all });
      });
    } catch (error) {
      // Before the body is read it is an error of middleware.
      if (!answer?.bodyUsed) throw error;
      if (error instanceof SyntaxError)
        throw contractFailure(PARTS, answer, rememberedCall(answer), 'no valid JSON');
      if (error instanceof TypeError)
        throw networkFailure(rememberedCall(answer), error, 'The answer broke off');
      throw error;
    }
  };
}

function toCall(
  request: Request,
  { timeouts, retry, idempotent, signal }: CallOptions,
): PipelineCall {
  const { url, method, headers, body } = request;
  // The rest (redirect, cache, …) stands on the request itself, unless middleware made a new one.
  const {
    url: _,
    timeouts: __,
    retry: ___,
    idempotent: ____,
    ...init
  } = request as object as RequestInit & PipelineCall;
  const own = Object.fromEntries(headers);
  return { url, method, headers: own, body, init, timeouts, retry, idempotent, signal };
}
