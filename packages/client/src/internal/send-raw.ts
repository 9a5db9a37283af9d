import createClient, { type FetchOptions, type Middleware } from 'openapi-fetch';
import type { CallOptions } from '../call-options.ts';
import { ContractError } from '../errors.ts';
import { GREEDY_PARAMETERS } from '../generated/contract.gen.ts';
import { contractFailure } from './check-payload.ts';
import { describeAnswer, networkFailure, rememberCall, rememberedCall } from './failures.ts';
import type { Pipeline, PipelineCall } from './pipeline/pipeline-call.ts';
import { toSegment } from './urls.ts';

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

/**
 * Fills the parameters of a path template. An ordinary parameter is percent-encoded; a greedy one
 * (`x-berth-greedy`) is one or more segments, perhaps with a query, and stays exactly as it is.
 *
 * @throws TypeError where a parameter is missing, or where `fetch` would send other bytes than given
 */
export function toPath(template: string, params: Record<string, unknown>): string {
  return template.replace(/\{([^{}]+)\}/g, (_, name: string) => {
    const isGreedy = (GREEDY_PARAMETERS as readonly string[]).includes(name);
    return toSegment(name, params[name], isGreedy);
  });
}

/**
 * What `openapi-fetch` makes of a call, instead of the platform's `Request`, which costs more than
 * all the rest. It has what middleware uses; `clone()` gives a whole `Request`.
 */
export class LightRequest {
  declare readonly method: string;
  declare readonly headers: Headers;
  declare readonly body: RequestInit['body'];
  declare readonly signal: AbortSignal | undefined;
  readonly url: string;

  constructor(url: string, init: RequestInit) {
    Object.assign(this, init);
    this.url = url;
  }

  clone(): Request {
    return new Request(this.url, this as RequestInit);
  }

  text(): Promise<string> {
    return this.clone().text();
  }

  json(): Promise<unknown> {
    return this.clone().json();
  }

  /** Middleware may give a `Request` of the platform instead. */
  static [Symbol.hasInstance](value: object): boolean {
    // By its methods: Babel's code for older engines asks before there are fields. A `Response` has a status.
    return 'clone' in value && !('status' in value);
  }
}
