import createClient, { type Client, defaultPathSerializer } from 'openapi-fetch';
import { toRecord } from './checks.ts';
import { BerthError, type CallInfo, contractError, isBerthError, networkError } from './errors.ts';
import type { Sender } from './fetch.ts';
import type { CallOptions } from './limits.ts';
import { retryAfter, withBudget } from './limits.ts';
import { discard, isStream } from './streams.ts';
import { checkPath, toSegment } from './urls.ts';

/**
 * Calls that `openapi-fetch` types by the `paths` of a document and sends through this client. An error status does not
 * throw: the result then has an `error`. Calls also take the options of {@link CallOptions}. The gateway forwards only
 * GET and POST.
 */
export type Calls<Paths extends object> = Pick<Client<Paths>, 'GET' | 'POST' | 'use' | 'eject'>;

/** A call without its types. */
export type RawCall = (path: string, init: CallInit) => Promise<RawResult>;

/** What a call returns. */
export interface RawResult {
  readonly data?: unknown;
  readonly error?: unknown;
  readonly response: Response;
}

export interface CallInit extends CallOptions {
  readonly params?: { readonly path?: object; readonly header?: object };
  readonly headers?: object;
  readonly body?: unknown;
  /** Reads the result. If its body breaks, or it throws a retryable error, the call is retried. */
  readonly read?: (result: RawResult) => unknown;
  /** Other options are those of `openapi-fetch`. */
  readonly [name: string]: unknown;
}

/**
 * Creates the calls of a document. `openapi-fetch` builds the requests and reads the responses, whose bodies count
 * towards the time limit unless they are streams.
 *
 * @param toPath returns the path of a call from its template and its parameters
 * @param check checks a response before it is read, and returns it or another one
 */
export function createCalls<Paths extends object>(
  sender: Sender,
  baseUrl: string,
  toPath: (template: string, params: Readonly<Record<string, unknown>>) => string,
  check: (response: Response, call: CallInfo) => Promise<Response>,
): Calls<Paths> {
  // Streams need `duplex`; other bodies ignore it.
  const clientOptions = { baseUrl, pathSerializer: toPath, duplex: 'half' as const };
  const client = createClient<Paths>(clientOptions);

  const call = async (method: 'GET' | 'POST', path: string, init: CallInit = {}) => {
    const run = client[method] as RawCall;
    // Otherwise, the path would become part of the name of the service.
    if (!path.startsWith('/')) {
      throw new BerthError('options', `The path ${path} must start with "/".`);
    }
    const { signal, timeout, retry, idempotent = method === 'GET', read, ...rest } = init;
    const isRepeatable = idempotent && !isStream(init.body);
    // Without an object for the path, `openapi-fetch` would not look for missing parameters.
    const params = { path: {}, ...init.params };
    const info = { method, url: baseUrl + path };
    const interrupted = (cause: unknown) =>
      networkError('The response was interrupted', info, cause);
    return withBudget({ signal, timeout, retry }, sender.limits, info, async (budget) => {
      for (;;) {
        let response: Response | undefined;
        const fetch = async (request: Request) => {
          info.url = request.url;
          const body = isStream(init.body) ? request.body : undefined;
          response = await sender.send(request, { idempotent, body }, budget);
          // The caller limits what it reads as a stream.
          if (!response.ok || rest.parseAs !== 'stream') response = await check(response, info);
          return response;
        };
        let result: RawResult;
        try {
          result = await run(path, { ...rest, params, fetch });
        } catch (error) {
          // What middleware throws is not a failure of the network, and is not retried.
          if (!response?.bodyUsed || isBerthError(error)) {
            // The error of `openapi-fetch` for an invalid header shows its value.
            toRecord({ ...rest.headers, ...params.header });
            throw error;
          }
          if (error instanceof SyntaxError) throw contractError(response, info, 'invalid JSON');
          await retryAfter(interrupted(error), isRepeatable, budget);
          continue;
        }
        try {
          return read ? await read(result) : result;
        } catch (error) {
          const failure = isBerthError(error) ? error : interrupted(error);
          await retryAfter(failure, isRepeatable, budget, response?.headers);
        }
      }
    }).catch((error) => {
      discard(init.body);
      throw error;
    });
  };

  return {
    GET: (path: string, init?: CallInit) => call('GET', path, init),
    POST: (path: string, init?: CallInit) => call('POST', path, init),
    use: client.use,
    eject: client.eject,
  } as Calls<Paths>;
}

/** Fills in a path of the document of a hosted service, in the styles of OpenAPI. */
export function toServicePath(template: string, params: Readonly<Record<string, unknown>>): string {
  const present = Object.entries(params).filter(([, value]) => value !== '');
  const path = defaultPathSerializer(template, Object.fromEntries(present));
  // Values are percent-encoded, so a brace that is left comes from the template.
  const [, missing] = /\{[.;]?([^{}*]+)/.exec(path) ?? [];
  return missing ? toSegment(missing, undefined) : checkPath('path', path);
}
