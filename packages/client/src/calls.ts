import type { Client, FetchOptions, FetchResponse, ParseAs } from 'openapi-fetch';
import createClient, { defaultPathSerializer } from 'openapi-fetch';
import { parseJson, readText } from './body.ts';
import { withBudget } from './budget.ts';
import { type CallOptions, withoutCallOptions } from './call-options.ts';
import { type CallInfo, contractError, networkError, optionsError } from './errors.ts';
import { type Sender, toRecord } from './fetch.ts';
import { closeOnFailure, isStream } from './streams.ts';
import { checkPath, toSegment } from './urls.ts';

/**
 * Calls that `openapi-fetch` types by the `paths` of a document and sends through this client. An error status does not
 * throw: the result then has an `error`, possibly a `Failure`, which no document describes. Calls also take the options
 * of {@link CallOptions}. The gateway forwards only GET and POST.
 */
export interface Calls<Paths extends object, Failure = never>
  extends Pick<Client<Paths>, 'use' | 'eject'> {
  readonly GET: Method<Paths, 'get', Failure>;
  readonly POST: Method<Paths, 'post', Failure>;
}

/**
 * A method of `openapi-fetch`, but with the URL and the `fetch` of this client, which also serializes paths: it checks
 * that `fetch` will send them as written.
 */
type Method<Paths, Name extends string, Failure> = <
  Path extends {
    [P in keyof Paths]: Paths[P] extends Record<Name, object> ? P : never;
  }[keyof Paths],
  Init extends FetchOptions<Operation<Paths[Path], Name>> &
    CallOptions & { baseUrl?: never; fetch?: never; pathSerializer?: never },
>(
  path: Path,
  ...init: object extends Init ? [Init?] : [Init]
) => Promise<FetchResponse<Operation<Paths[Path], Name>, Init, `${string}/${string}`> | Failure>;

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
  /** Default: as JSON. */
  readonly bodySerializer?: (body: unknown) => unknown;
  /** How to read a successful response. Default: `json`. */
  readonly parseAs?: ParseAs;
}

/** Keeps a response alive as long as its body. Node cancels the unread body of a garbage-collected response. */
const RESPONSES = new WeakMap<object, Response>();

/**
 * Creates the calls of a document. `openapi-fetch` builds requests and runs middleware, but does not read bodies: it
 * would decode all text as UTF-8, read errors of any size, and quote invalid JSON in its error. Within its time limit, a
 * call takes these steps:
 * 1. `openapi-fetch` builds the request.
 * 2. `onRequest` of middleware sees it, with the path of the document.
 * 3. `sender` makes the attempts.
 * 4. `bufferError` reads the body of an error.
 * 5. `onResponse` of middleware sees the response.
 * 6. `readData` reads the body of a success, unless the caller reads it as a stream.
 * 7. `convert` returns the result.
 *
 * If `readData` or `convert` throws a retryable error, the whole sequence runs again. What middleware throws is not
 * retried.
 *
 * @param greedy path parameters that hold raw segments and a query
 * @param maxBytes size after which text and JSON are not read. Default: any size
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
  const readData = async (result: RawResult, info: CallInfo, parseAs: ParseAs = 'json') => {
    const { data: body, response } = result;
    if (!response.ok || body === undefined) return result;
    if (response.bodyUsed) throw optionsError('Middleware must clone the response.');
    if (parseAs === 'stream') {
      if (body) RESPONSES.set(body, response);
      return result;
    }
    const isText = parseAs === 'json' || parseAs === 'text';
    const reading = isText ? readText(response, maxBytes) : response[parseAs]();
    const content = await reading.catch((cause) => {
      throw networkError('The response was interrupted', info, cause);
    });
    const data = parseAs === 'json' ? parseJson(content as string) : content;
    if (content && data === undefined) throw contractError(response, info, 'invalid JSON');
    return { data, response };
  };

  const call = async <T = RawResult>(
    method: 'GET' | 'POST',
    path: string,
    init: CallInit,
    convert: (result: RawResult, info: CallInfo) => T | Promise<T> = (result) => result as T,
  ): Promise<T> => {
    const others = withoutCallOptions(init);
    // Without `params.path`, `openapi-fetch` would send the template of the path.
    const params = { ...init.params, path: init.params?.path ?? {} };
    // Merged only to check them: the platform's error would show the value of an invalid header.
    toRecord({ ...init.headers, ...params.header });
    const url = baseUrl + toPath(path, params.path, greedy);
    const info = { method, url };

    return withBudget(init, sender.limits, info, async (budget) => {
      const openApiInit = {
        ...others,
        params,
        // `fetch` sends this path as written, and `readData` reads the body.
        pathSerializer: () => url,
        parseAs: 'stream',
        async fetch(request: Request) {
          const body = isStream(init.body) ? request.body : undefined;
          return bufferError(await sender.send(request, { body }, budget));
        },
      };
      for (;;) {
        const result = await client[method](path, openApiInit);
        try {
          return await convert(await readData(result, info, init.parseAs), info);
        } catch (error) {
          await budget.waitForRetry(error, result.response.headers);
        }
      }
    });
  };

  const GET = (path: string, init: CallInit = {}) => call('GET', path, init);
  const POST = (path: string, init: CallInit = {}) =>
    closeOnFailure(init.body, () => call('POST', path, init));
  return { call, client: { GET, POST, use: client.use, eject: client.eject } as Calls<Paths> };
}

/** Maximum size of an error in bytes. */
const ERROR_BYTES = 1_000_000;

/** Buffers an error for `openapi-fetch`. If it is interrupted, only status and headers are kept. */
async function bufferError(response: Response): Promise<Response> {
  const { body, headers, status, url } = response;
  if (!body || response.ok) return response;
  const text = await readText(response, ERROR_BYTES).catch(() => '');
  // A `Response` cannot be created with a URL, a status above 599 or a reason phrase that is not Latin-1.
  const init = { headers, status: Math.min(status, 599) };
  const copy = new Response(text || null, init);
  return Object.defineProperties(copy, { status: { value: status }, url: { value: url } });
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
    toSegment(name, text);
    return greedy.includes(name) ? text : defaultPathSerializer(expression, params);
  });
  // Without its `/`, a path would become part of the name of the service.
  return checkPath('path', path.replace(/^\/?/, '/'));
}
