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

interface CallsSetup {
  readonly baseUrl: string;
  /** Returns the path of a call from its template and its parameters. */
  toPath(template: string, params: Readonly<Record<string, unknown>>): string;
  /** Checks a response before it is read, and returns it or another one. */
  readonly check: (response: Response, call: CallInfo) => Promise<Response>;
}

interface Init extends CallOptions {
  readonly params?: { readonly header?: object };
  readonly headers?: object;
  readonly body?: unknown;
  /** Reads the result. If it throws a retryable error, the call is retried. */
  readonly read?: (result: unknown) => unknown;
}

/**
 * Creates the calls of a document. `openapi-fetch` builds the requests and reads the responses, whose bodies count
 * towards the time limit unless they are streams.
 */
export function createCalls<Paths extends object>(sender: Sender, setup: CallsSetup): Calls<Paths> {
  const { baseUrl, toPath, check } = setup;
  // Streams need `duplex`; other bodies ignore it.
  const clientOptions = { baseUrl, pathSerializer: toPath, duplex: 'half' as const };
  const client = createClient<Paths>(clientOptions);

  const call = async (method: 'GET' | 'POST', path: string, init: Init = {}) => {
    const run = client[method] as (path: string, init: object) => Promise<unknown>;
    // Otherwise, the path would become part of the name of the service.
    if (!path.startsWith('/')) {
      throw new BerthError('options', `The path ${path} must start with "/".`);
    }
    const { signal, timeout, retry, idempotent = method === 'GET', read, ...rest } = init;
    const isRepeatable = idempotent && !isStream(init.body);
    // Without an object for the path, `openapi-fetch` would not look for missing parameters.
    const params = { path: {}, ...init.params };
    const info = { method, url: baseUrl + path };
    return withBudget({ signal, timeout, retry }, sender.limits, info, async (budget) => {
      for (;;) {
        let response: Response | undefined;
        const fetch = async (request: Request) => {
          info.url = request.url;
          const body = isStream(init.body) ? request.body : undefined;
          response = await sender.send(request, { idempotent, body }, budget);
          response = await check(response, info);
          return response;
        };
        let result: unknown;
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
          const failure = networkError('The response was interrupted', info, error);
          await retryAfter(failure, isRepeatable, budget);
          continue;
        }
        try {
          return read ? read(result) : result;
        } catch (error) {
          const isTemporary = isBerthError(error) && error.retryable;
          await retryAfter(error, isTemporary && isRepeatable, budget, response?.headers);
        }
      }
    }).catch((error) => {
      discard(init.body);
      throw error;
    });
  };

  return {
    GET: (path: string, init?: Init) => call('GET', path, init),
    POST: (path: string, init?: Init) => call('POST', path, init),
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
