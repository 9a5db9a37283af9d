import type { Client, ClientOptions, ParseAs } from 'openapi-fetch';
import createClient, { defaultPathSerializer } from 'openapi-fetch';
import { bufferError, parseJson, readText } from './body.ts';
import { toRecord } from './checks.ts';
import type { CallInfo } from './errors.ts';
import { contractError, isBerthError, networkError } from './errors.ts';
import type { Sender } from './fetch.ts';
import type { CallOptions } from './limits.ts';
import { retryAfter, withBudget } from './limits.ts';
import { closeOnFailure, isStream } from './streams.ts';
import { checkPath, checkPresent } from './urls.ts';

/**
 * Calls that `openapi-fetch` types by the `paths` of a document and sends through this client. An error status does not
 * throw: the result then has an `error`. Calls also take the options of {@link CallOptions}. The gateway forwards only
 * GET and POST.
 */
export type Calls<Paths extends object> = Pick<Client<Paths>, 'GET' | 'POST' | 'use' | 'eject'>;

export type RawCall = (path: string, init: CallInit) => Promise<RawResult>;

export interface RawResult {
  readonly data?: unknown;
  readonly error?: unknown;
  readonly response: Response;
}

export interface CallInit extends CallOptions {
  readonly params?: {
    readonly path?: { readonly [name: string]: unknown };
    readonly header?: object;
  };
  readonly headers?: object;
  readonly body?: unknown;
  /** How to read a successful response. Default: `json`. */
  readonly parseAs?: ParseAs | undefined;
  /** Converts the result. If it throws a retryable error, the call is retried. */
  readonly convert?: (result: RawResult, info: CallInfo) => unknown;
  /** Other options are those of `openapi-fetch`. */
  readonly [name: string]: unknown;
}

/** Responses by their bodies. Node cancels the unread body of a garbage-collected response. */
const RESPONSES = new WeakMap<object, Response>();

/**
 * Creates the calls of a document. `openapi-fetch` builds the requests and runs the middleware; the time limit includes
 * reading the response, unless it is a stream. What else `openapi-fetch` does is avoided:
 *
 * - It reads bodies of any size, and as UTF-8. Errors are buffered before it reads them, and it returns successes as
 *   streams, which are read here.
 * - It would pass `signal` to its Request. The budget of the call aborts instead.
 * - It would show the value of an invalid header, and send the template of a path without `params.path`.
 *
 * @param greedy path parameters that hold raw segments and a query
 * @param maxBytes size at which text and JSON are cut off. Default: any size
 */
export function createCalls<Paths extends object>(
  sender: Sender,
  baseUrl: string,
  greedy: readonly string[] = [],
  maxBytes = Number.POSITIVE_INFINITY,
): Calls<Paths> {
  // Streams need `duplex`; other bodies ignore it.
  const client = createClient<Paths>({ baseUrl, duplex: 'half' } as ClientOptions);

  /** Reads the body of a success as `openapi-fetch` documents `parseAs`. */
  const readData = async (result: RawResult, parseAs: ParseAs = 'json', info: CallInfo) => {
    const { data: body, response } = result;
    if (!response.ok || body === undefined) return result;
    if (parseAs === 'stream') {
      if (body) RESPONSES.set(body, response);
      return result;
    }
    const isText = parseAs === 'json' || parseAs === 'text';
    const content = isText ? await readText(response, maxBytes) : await response[parseAs]();
    const data = parseAs === 'json' ? parseJson(content as string) : content;
    if (content && data === undefined) throw contractError(response, info, 'invalid JSON');
    return { data, response };
  };

  const call = async (method: 'GET' | 'POST', path: string, init: CallInit) => {
    const { params, body, parseAs, convert } = init;
    toRecord({ ...init.headers, ...params?.header });
    const pathParams = params?.path ?? {};
    // Without its `/`, a path would become part of the name of the service.
    const url = baseUrl + toPath(path.replace(/^\/?/, '/'), pathParams, greedy);
    const info = { method, url };

    return withBudget(init, sender.limits, info, async (budget) => {
      const openapiInit = {
        ...init,
        signal: undefined,
        params: { ...params, path: pathParams },
        pathSerializer: () => url,
        parseAs: 'stream' as const,
        async fetch(request: Request) {
          const stream = isStream(body) ? request.body : undefined;
          const response = await sender.send(request, { body: stream }, budget);
          return response.ok ? response : bufferError(response);
        },
      };
      for (;;) {
        // What middleware throws is passed on, and not retried.
        const result = await (client[method] as RawCall)(path, openapiInit);
        try {
          const complete = await readData(result, parseAs, info);
          return convert ? convert(complete, info) : complete;
        } catch (error) {
          const failure = isBerthError(error)
            ? error
            : networkError('The response was interrupted', info, error);
          const isRepeatable = budget.isIdempotent && !isStream(body);
          await retryAfter(failure, isRepeatable, budget, result.response.headers);
        }
      }
    });
  };

  return {
    GET: (path: string, init: CallInit = {}) => call('GET', path, init),
    POST: (path: string, init: CallInit = {}) =>
      closeOnFailure(init.body, () => call('POST', path, init)),
    use: client.use,
    eject: client.eject,
  } as Calls<Paths>;
}

/** Fills in the path of an operation, in the styles of OpenAPI. */
function toPath(
  template: string,
  params: { readonly [name: string]: unknown },
  greedy: readonly string[],
): string {
  const path = template.replace(/\{[.;]?([^{}*]+)\*?\}/g, (expression, name: string) => {
    checkPresent(name, params[name]);
    return greedy.includes(name) ? String(params[name]) : defaultPathSerializer(expression, params);
  });
  return checkPath('path', path);
}
