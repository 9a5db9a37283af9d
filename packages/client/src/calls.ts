import createClient, {
  type Client,
  defaultBodySerializer,
  defaultPathSerializer,
  type Middleware,
} from 'openapi-fetch';
import { isStream } from './body.ts';
import { BerthError, networkError } from './errors.ts';
import {
  type CallOptions,
  checkRetry,
  checkTimeout,
  delayAfter,
  pause,
  type RetryOptions,
  type Send,
  splitOptions,
  withLimit,
} from './fetch.ts';
import { checkPath, toSegment } from './urls.ts';

/**
 * Calls that `openapi-fetch` types by the `paths` of a document and sends through this client. An error status does not
 * throw: the result then has an `error`. Calls also take the options of {@link CallOptions}.
 */
export type Calls<Paths extends object> = Client<Paths>;

interface CallsSetup {
  readonly baseUrl: string;
  readonly timeout: number | undefined;
  readonly retry: RetryOptions | false | undefined;
  /** Returns the path of a call from its template and its parameters. */
  toPath(template: string, params: Readonly<Record<string, unknown>>): string;
}

/** What a call of `openapi-fetch` takes, and the options of this client. */
interface Init extends CallOptions {
  readonly params?: object;
  readonly body?: unknown;
  readonly middleware?: readonly unknown[];
  readonly bodySerializer?: (body: unknown, headers: Headers) => unknown;
}

/** All methods of `openapi-fetch`. The gateway forwards GET, HEAD and POST. */
const METHODS = ['GET', 'PUT', 'POST', 'DELETE', 'OPTIONS', 'HEAD', 'PATCH', 'TRACE'] as const;

const serialize = defaultBodySerializer as NonNullable<Init['bodySerializer']>;

type Result = Promise<{ data?: unknown; error?: unknown; response: Response }>;

/**
 * Creates the calls of a document. `openapi-fetch` builds the requests and reads the responses, whose bodies count
 * towards the time limit unless they are streams.
 */
export function createCalls<Paths extends object>(send: Send, setup: CallsSetup): Calls<Paths> {
  const { baseUrl, toPath } = setup;
  const clientRetry = checkRetry(setup.retry);
  // Streams need `duplex`; other bodies ignore it.
  const setupOptions = { baseUrl, pathSerializer: toPath, duplex: 'half' as const };
  const client = createClient<Paths>(setupOptions);
  let hasMiddleware = false;

  const call = (method: (typeof METHODS)[number]) => {
    const isSafe = method === 'GET' || method === 'HEAD';
    const run = client[method] as unknown as (path: string, init: object) => Result;
    return async (path: string, init: Init = {}): Result => {
      // It would become part of the name of the service.
      if (!path.startsWith('/'))
        throw new BerthError('options', `The path ${path} must start with "/".`);
      const { options, rest } = splitOptions(init);
      const { bodySerializer = serialize } = init;
      let body: unknown;
      let response: Response | undefined;
      const timeout = checkTimeout(options.timeout) ?? setup.timeout;
      const retry = checkRetry(options.retry, clientRetry);
      const called = { method, url: baseUrl + path };
      return withLimit({ signal: options.signal, timeout }, called, async (limit) => {
        const requestInit = {
          ...rest,
          // Without an object here, `openapi-fetch` would not look for missing parameters.
          params: { path: {}, ...init.params },
          bodySerializer: (value: unknown, headers: Headers) => {
            body = bodySerializer(value, headers);
            return body;
          },
          fetch: async (request: Request) => {
            called.url = request.url;
            // Middleware may have replaced the body, and a form has a boundary already.
            const canReuse = !hasMiddleware && !init.middleware && !(body instanceof FormData);
            let reused: unknown = canReuse ? body : undefined;
            if (isStream(body)) reused = request.body;
            response = await send(
              request,
              { ...options, body: reused as RequestInit['body'] },
              limit,
            );
            return response;
          },
        };
        for (;;) {
          try {
            return await run(path, requestInit);
          } catch (error) {
            // What middleware throws, or the JSON parser, is not a failure of the network.
            if (!response?.bodyUsed || error instanceof SyntaxError) throw error;
            limit.signal.throwIfAborted();
            const failure = networkError('The response was interrupted', called, error);
            const canRepeat = (options.idempotent ?? isSafe) && !isStream(body);
            const delay = canRepeat
              ? delayAfter(limit.attempts, retry, undefined, limit.left())
              : undefined;
            if (delay === undefined) throw failure;
            await pause(delay, limit.signal);
          }
        }
      });
    };
  };
  const calls = Object.fromEntries(METHODS.map((method) => [method, call(method)]));
  return {
    ...calls,
    request: (method: string, path: string, init?: Init) =>
      calls[method.toUpperCase()]?.(path, init),
    use(...middleware: Middleware[]) {
      hasMiddleware = true;
      client.use(...middleware);
    },
    eject: client.eject,
  } as unknown as Calls<Paths>;
}

/** Fills in a path of the document of a hosted service, in the styles of OpenAPI. */
export function toServicePath(template: string, params: Readonly<Record<string, unknown>>): string {
  const present = Object.entries(params).filter(([, value]) => value !== '');
  const path = defaultPathSerializer(template, Object.fromEntries(present));
  // Values are percent-encoded, so a brace that is left comes from the template.
  const [, missing] = /\{[.;]?([^{}*]+)/.exec(path) ?? [];
  return missing ? toSegment(missing, undefined) : checkPath('path', path);
}
