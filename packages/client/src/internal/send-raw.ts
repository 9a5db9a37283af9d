import createClient, { type FetchOptions, type Middleware } from 'openapi-fetch';
import type { CallOptions } from '../call-options.ts';
import { GREEDY_PARAMETERS } from '../generated/contract.gen.ts';
import { contractFailure } from './check-payload.ts';
import { networkFailure, rememberedCall } from './failures.ts';
import type { HeaderRecord, Pipeline, PipelineCall } from './pipeline/pipeline-call.ts';
import { toSegment } from './urls.ts';

type RawInit = CallOptions & Omit<FetchOptions<unknown>, 'signal'>;

/** What the raw calls of a client have in common. */
export interface RawDefaults {
  readonly baseUrl: string;
  readonly headers?: HeaderRecord;
  readonly redirect: NonNullable<RequestInit['redirect']>;
}

/** Sends one raw call. */
export type SendRaw = (
  method: 'GET' | 'POST',
  path: string,
  init: RawInit,
  middleware: readonly Middleware[],
) => Promise<unknown>;

/**
 * The raw calls: `openapi-fetch` builds them and reads their responses, the pipeline sends them. The
 * total time covers the body, unless it is handed out as a stream.
 */
export function createSendRaw(pipeline: Pipeline, defaults: RawDefaults): SendRaw {
  const client = createClient<Record<string, never>>({ ...defaults, pathSerializer: toPath });
  return async (method, path, init, middleware) => {
    const run = client[method] as unknown as (path: string, init: object) => Promise<unknown>;
    const all = [...middleware, ...(init.middleware ?? [])];
    const call = { ...init, method, url: path };
    let response: Response | undefined;
    try {
      // The limits of the body as well: those that the pipeline opens end with the headers.
      return await pipeline.open(call).step((step) => {
        step.extend(0);
        const signal = step.signal();
        const fetch = async (request: Request) => {
          call.url = request.url;
          response = await pipeline.send(await toCall(request, init, signal));
          return response;
        };
        return run(path, { ...init, signal: undefined, fetch, middleware: all });
      });
    } catch (error) {
      // Before the body is read it is an error of middleware.
      if (!response?.bodyUsed) throw error;
      if (error instanceof SyntaxError) throw contractFailure(response, 'no valid JSON');
      if (error instanceof TypeError) {
        throw networkFailure(rememberedCall(response), error, 'The answer broke off');
      }
      throw error;
    }
  };
}

/** The call that `openapi-fetch` and middleware have built. What else `fetch` takes is the caller's. */
async function toCall(
  request: Request,
  { timeouts, retry, idempotent, ...init }: RawInit,
  signal: AbortSignal,
): Promise<PipelineCall> {
  const { url, method, redirect } = request;
  const headers = Object.fromEntries(request.headers);
  const own: object = { ...init, redirect };
  const body = method === 'GET' ? undefined : await readBody(request.clone());
  return { url, method, headers, body, init: own, timeouts, retry, idempotent, signal };
}

/** A body at hand, so that it can be signed and sent again: JSON as text, as signers know it. */
function readBody(request: Request): Promise<string | ArrayBuffer> {
  const isJson = /^application\/json\b/i.test(request.headers.get('Content-Type') ?? '');
  return isJson ? request.text() : request.arrayBuffer();
}

/**
 * Fills the parameters of a path template. An ordinary parameter is percent-encoded; a greedy one
 * (`x-berth-greedy`) is one or more segments, perhaps with a query, and stays exactly as it is.
 *
 * @throws TypeError if a parameter is missing, or if `fetch` would send other bytes than given
 */
export function toPath(template: string, params: Record<string, unknown>): string {
  return template.replace(/\{([^{}]+)\}/g, (_, name: string) => {
    const isGreedy = (GREEDY_PARAMETERS as readonly string[]).includes(name);
    return toSegment(name, params[name], isGreedy);
  });
}
