import type { Client, FetchOptions, FetchResponse, ParseAs } from 'openapi-fetch';
import createClient, { defaultPathSerializer } from 'openapi-fetch';
import { bufferError, parseJson, readText } from './body.ts';
import { checkNotEmpty } from './checks.ts';
import type { CallInfo } from './errors.ts';
import { BerthError, contractError, isBerthError, networkError } from './errors.ts';
import { type Sender, toRecord } from './fetch.ts';
import type { CallOptions } from './limits.ts';
import { waitForRetry, withBudget } from './limits.ts';
import { closeOnFailure, isStream } from './streams.ts';
import { checkPath } from './urls.ts';

/**
 * Calls that `openapi-fetch` types by the `paths` of a document and sends through this client. An error status does not
 * throw: the result then has an `error`. Calls also take the options of {@link CallOptions}. The gateway forwards only
 * GET and POST.
 */
export interface Calls<Paths extends object> extends Pick<Client<Paths>, 'use' | 'eject'> {
  readonly GET: Method<Paths, 'get'>;
  readonly POST: Method<Paths, 'post'>;
}

/** A method of `openapi-fetch`, but the URL and the `fetch` are those of this client. */
type Method<Paths, Name extends string> = <
  Path extends {
    [P in keyof Paths]: Paths[P] extends Record<Name, object> ? P : never;
  }[keyof Paths],
  Init extends FetchOptions<Operation<Paths[Path], Name>> &
    CallOptions & { baseUrl?: never; fetch?: never },
>(
  path: Path,
  ...init: object extends Init ? [Init?] : [Init]
) => Promise<FetchResponse<Operation<Paths[Path], Name>, Init, `${string}/${string}`>>;

type Operation<Item, Name extends string> =
  Item extends Record<Name, infer Found extends object> ? Found : never;

/** A client of any document. */
type AnyClient = Client<object> &
  Record<'GET' | 'POST', (path: string, init: object) => Promise<RawResult>>;

export type Call = ReturnType<typeof createCalls>['call'];

export interface RawResult {
  readonly data?: unknown;
  readonly error?: unknown;
  readonly response: Response;
}

/** The options that this client reads. It passes all others to `openapi-fetch`. */
export interface CallInit extends CallOptions {
  readonly params?: {
    readonly path?: { readonly [name: string]: unknown };
    readonly header?: object;
  };
  readonly headers?: object | undefined;
  readonly body?: unknown;
  /** Sends the body as is, with the media type that `fetch` gives it. By default, it is sent as JSON. */
  readonly rawBody?: boolean;
  /** How to read a successful response. Default: `json`. */
  readonly parseAs?: ParseAs;
}

/** Keeps a response alive as long as its body. Node cancels the unread body of a garbage-collected response. */
const RESPONSES = new WeakMap<object, Response>();

/**
 * Creates the calls of a document. `openapi-fetch` builds the requests and runs the middleware; the time limit includes
 * reading the response, unless it is a stream. These defaults of `openapi-fetch` are overridden:
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
) {
  // Streams need `duplex`; other bodies ignore it.
  const client = createClient({ baseUrl, duplex: 'half' } as object) as AnyClient;

  /** Reads the body of a success as `openapi-fetch` documents `parseAs`. */
  const readData = async (result: RawResult, parseAs: ParseAs = 'json', info: CallInfo) => {
    const { data: body, response } = result;
    if (!response.ok || body === undefined) return result;
    if (response.bodyUsed) throw new BerthError('options', 'Middleware must clone the response.');
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

  /** Sends a call, and retries it if `convert` throws a retryable error. Middleware sees `path`. */
  const call = <T>(
    method: 'GET' | 'POST',
    path: string,
    init: CallInit,
    convert: (result: RawResult, info: CallInfo) => T = (result) => result as T,
  ): Promise<T> =>
    closeOnFailure(init.body, async () => {
      const { params, body, rawBody, parseAs } = init;
      toRecord({ ...init.headers, ...params?.header });
      const pathParams = params?.path ?? {};
      const url = baseUrl + toPath(path, pathParams, greedy);
      const info = { method, url };

      return withBudget(init, sender.limits, info, async (budget) => {
        const openapiInit = {
          ...init,
          // `null` removes the media type that `openapi-fetch` would set.
          ...(rawBody && {
            headers: { 'content-type': null, ...init.headers },
            bodySerializer: () => body,
          }),
          signal: null,
          params: { ...params, path: pathParams },
          pathSerializer: () => url,
          parseAs: 'stream' as const,
          async fetch(request: Request) {
            const stream = isStream(body) ? request.body : undefined;
            const { signal } = budget;
            const response = await sender.send(request, { body: stream, signal }, budget);
            return response.ok ? response : bufferError(response);
          },
        };
        for (;;) {
          // What middleware throws is passed on, and not retried.
          const result = await client[method](path, openapiInit);
          try {
            return convert(await readData(result, parseAs, info), info);
          } catch (error) {
            const failure = isBerthError(error)
              ? error
              : networkError('The response was interrupted', info, error);
            const canRepeat = budget.isIdempotent && !isStream(body);
            await waitForRetry(failure, canRepeat, budget, result.response.headers);
          }
        }
      });
    });

  const GET = (path: string, init: CallInit = {}) => call<RawResult>('GET', path, init);
  const POST = (path: string, init: CallInit = {}) => call<RawResult>('POST', path, init);
  return { call, client: { GET, POST, use: client.use, eject: client.eject } as Calls<Paths> };
}

/** Fills in the path of an operation, in the styles of OpenAPI. */
function toPath(
  template: string,
  params: { readonly [name: string]: unknown },
  greedy: readonly string[],
): string {
  const path = template.replace(/\{[.;]?([^{}*]+)\*?\}/g, (expression, name: string) => {
    // `String([])` is empty too.
    const text = String(params[name] ?? '');
    checkNotEmpty(name, text);
    return greedy.includes(name) ? text : defaultPathSerializer(expression, params);
  });
  // Without its `/`, a path would become part of the name of the service.
  return checkPath('path', path.replace(/^\/?/, '/'));
}
