import createClient, {
  defaultPathSerializer,
  type FetchOptions,
  type Middleware,
} from 'openapi-fetch';
import type { CallOptions } from '../call-options.ts';
import { GREEDY_PARAMETERS } from '../generated/contract.gen.ts';
import { contractFailure } from './check-payload.ts';
import { networkFailure, rememberedCall } from './failures.ts';
import type { HeaderRecord, Pipeline, PipelineCall } from './pipeline.ts';
import { toSegment } from './urls.ts';

type RawInit = CallOptions & Omit<FetchOptions<unknown>, 'signal'>;

/** Options that all raw calls of a client share. */
export interface RawDefaults {
  readonly baseUrl: string;
  readonly headers?: HeaderRecord;
  readonly redirect: NonNullable<RequestInit['redirect']>;
  /** Whether the paths come from a hosted service's own document instead of the contract. */
  readonly isService?: boolean;
}

export type SendRaw = (
  method: 'GET' | 'POST',
  path: string,
  init: RawInit,
  middleware: readonly Middleware[],
) => Promise<unknown>;

/**
 * Creates a function that sends raw calls. `openapi-fetch` builds the requests and reads the responses; the
 * pipeline sends them. The total time limit includes the body, unless it is returned as a stream.
 */
export function createSendRaw(pipeline: Pipeline, defaults: RawDefaults): SendRaw {
  const pathSerializer = defaults.isService ? toServicePath : toPath;
  const client = createClient<Record<string, never>>({ ...defaults, pathSerializer });
  return async (method, path, init, middleware) => {
    const run = client[method] as unknown as (path: string, init: object) => Promise<unknown>;
    const all = [...middleware, ...(init.middleware ?? [])];
    // Without path parameters, `openapi-fetch` would not notice missing ones.
    const params = { path: {}, ...init.params } as object;
    const call = { ...init, method, url: path };
    let response: Response | undefined;
    try {
      // Limits the body as well, because the pipeline's own limits end with the headers.
      return await pipeline.open(call).step((step) => {
        step.extend(0);
        const signal = step.signal();
        const fetch = async (request: Request) => {
          call.url = request.url;
          response = await pipeline.send(await toCall(request, init, signal));
          return response;
        };
        return run(path, { ...init, params, signal: undefined, fetch, middleware: all });
      });
    } catch (error) {
      // Until the body is read, errors come from middleware.
      if (!response?.bodyUsed) throw error;
      if (error instanceof SyntaxError) throw contractFailure(response, 'invalid JSON');
      if (error instanceof TypeError) {
        throw networkFailure(rememberedCall(response), error, 'The response was interrupted');
      }
      throw error;
    }
  };
}

/** Returns the call that `openapi-fetch` and middleware built. Other `fetch` options come from the caller. */
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

/** Reads the body into memory, so that it can be signed and retried. JSON stays text, as signers expect. */
function readBody(request: Request): Promise<string | ArrayBuffer> {
  const isJson = /^application\/json\b/i.test(request.headers.get('Content-Type') ?? '');
  return isJson ? request.text() : request.arrayBuffer();
}

/**
 * Fills in the parameters of a path template from a service's own document, in their OpenAPI styles.
 *
 * @throws TypeError if a parameter is missing, or if `fetch` would change the path
 */
function toServicePath(template: string, params: Record<string, unknown>): string {
  const given = Object.entries(params).filter(([, value]) => value !== '');
  const path = defaultPathSerializer(template, Object.fromEntries(given));
  // Values are percent-encoded, so any remaining brace comes from the template.
  const [, missing] = /\{[.;]?([^{}*]+)/.exec(path) ?? [];
  if (missing) toSegment(missing, undefined);
  return toSegment('path', path, true);
}

/**
 * Fills in the parameters of a path template. Ordinary parameters are percent-encoded. A greedy parameter
 * (`x-berth-greedy`) consists of one or more segments, optionally with a query, and is inserted unchanged.
 *
 * @throws TypeError if a parameter is missing, or if `fetch` would change the bytes of its value
 */
function toPath(template: string, params: Record<string, unknown>): string {
  return template.replace(/\{([^{}]+)\}/g, (_, name: string) => {
    const isGreedy = (GREEDY_PARAMETERS as readonly string[]).includes(name);
    return toSegment(name, params[name], isGreedy);
  });
}
