import createClient, { type Client, defaultPathSerializer } from 'openapi-fetch';
import { contractError, discard, isStream, readText } from './body.ts';
import { BerthError, type CallInfo, isBerthError, networkError } from './errors.ts';
import {
  type CallOptions,
  delayAfter,
  type Limits,
  pause,
  type Send,
  splitOptions,
  toRecord,
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
  readonly limits: Limits;
  /** Returns the path of a call from its template and its parameters. */
  toPath(template: string, params: Readonly<Record<string, unknown>>): string;
  /** Maximum size of a response in bytes. Default: no limit. */
  readonly maxBytes?: number;
}

interface Init extends CallOptions {
  readonly params?: { readonly header?: object };
  readonly headers?: object;
  readonly body?: unknown;
}

type Run = (
  path: string,
  init: object,
) => Promise<{ data?: unknown; error?: unknown; response: Response }>;

/** All methods of `openapi-fetch`. The gateway forwards GET, HEAD and POST. */
const METHODS = ['GET', 'PUT', 'POST', 'DELETE', 'OPTIONS', 'HEAD', 'PATCH', 'TRACE'] as const;

/**
 * Creates the calls of a document. `openapi-fetch` builds the requests and reads the responses, whose bodies count
 * towards the time limit unless they are streams.
 */
export function createCalls<Paths extends object>(send: Send, setup: CallsSetup): Calls<Paths> {
  const { baseUrl, toPath, maxBytes } = setup;
  // Streams need `duplex`; other bodies ignore it.
  const setupOptions = { baseUrl, pathSerializer: toPath, duplex: 'half' as const };
  const client = createClient<Paths>(setupOptions);

  const createCall = (method: (typeof METHODS)[number]) => {
    const run = client[method] as unknown as Run;
    return async (path: string, init: Init = {}) => {
      // It would become part of the name of the service.
      if (!path.startsWith('/')) {
        throw new BerthError('options', `The path ${path} must start with "/".`);
      }
      const { options, rest } = splitOptions(init);
      const { idempotent = method === 'GET' || method === 'HEAD' } = options;
      const isOnce = isStream(init.body);
      const called = { method, url: baseUrl + path };
      return withLimit(options, setup.limits, called, async (limit) => {
        let response: Response | undefined;
        const fetch = async (request: Request) => {
          called.url = request.url;
          response = await send(
            request,
            { idempotent, body: isOnce ? request.body : undefined },
            limit,
          );
          return maxBytes === undefined ? response : limitBody(response, maxBytes, called);
        };
        // Without an object for the path, `openapi-fetch` would not look for missing parameters.
        const params = { path: {}, ...init.params };
        for (;;) {
          try {
            return await run(path, { ...rest, params, fetch });
          } catch (error) {
            limit.signal.throwIfAborted();
            if (!response?.bodyUsed || isBerthError(error)) {
              // For an invalid header, the error of `openapi-fetch` would show the value.
              for (const headers of [rest.headers, params.header])
                for (const [name, value] of Object.entries(headers ?? {}))
                  toRecord({ [name]: String(value) });
              // What middleware throws is not a failure of the network.
              throw error;
            }
            if (error instanceof SyntaxError) throw contractError(response, called, 'invalid JSON');
            const delay = idempotent && !isOnce ? delayAfter(limit) : undefined;
            if (delay === undefined) {
              throw networkError('The response was interrupted', called, error);
            }
            await pause(delay, limit.signal);
          }
        }
      }).catch((error) => {
        discard(init.body);
        throw error;
      });
    };
  };

  const calls = Object.fromEntries(METHODS.map((method) => [method, createCall(method)]));
  return {
    ...calls,
    request: (method: string, path: string, init?: Init) =>
      calls[method.toUpperCase()]?.(path, init),
    use: client.use,
    eject: client.eject,
  } as unknown as Calls<Paths>;
}

/** Reads a text of unknown or large size, up to a limit. A stream that counts would take more time. */
async function limitBody(response: Response, maxBytes: number, call: CallInfo): Promise<Response> {
  const { headers } = response;
  const length = Number(headers.get('Content-Length') ?? Number.NaN);
  if (!response.body || (length <= maxBytes && !headers.has('Content-Encoding'))) return response;
  const { text, isComplete } = await readText(response, maxBytes);
  if (isComplete) return new Response(text, response);
  const reason = `the response is larger than ${maxBytes} bytes`;
  throw new BerthError('storage', 'The call failed', { call, response, reason });
}

/** Fills in a path of the document of a hosted service, in the styles of OpenAPI. */
export function toServicePath(template: string, params: Readonly<Record<string, unknown>>): string {
  const present = Object.entries(params).filter(([, value]) => value !== '');
  const path = defaultPathSerializer(template, Object.fromEntries(present));
  // Values are percent-encoded, so a brace that is left comes from the template.
  const [, missing] = /\{[.;]?([^{}*]+)/.exec(path) ?? [];
  return missing ? toSegment(missing, undefined) : checkPath('path', path);
}
