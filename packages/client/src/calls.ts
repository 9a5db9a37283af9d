import type { Client, FetchOptions, FetchResponse, ParseAs } from 'openapi-fetch';
import createClient, { defaultPathSerializer } from 'openapi-fetch';
import { bufferError, parseJson, readText } from './body.ts';
import { withBudget } from './budget.ts';
import { BerthError, type CallInfo, contractError, isBerthError, networkError } from './errors.ts';
import { type Sender, toRecord } from './fetch.ts';
import type { CallOptions } from './limits.ts';
import { closeOnFailure, isStream } from './streams.ts';
import { checkPath, toSegment } from './urls.ts';

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
    CallOptions & { baseUrl?: never; fetch?: never; pathSerializer?: never },
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
  /** Default: as JSON. */
  readonly bodySerializer?: (body: unknown) => unknown;
  /** How to read a successful response. Default: `json`. */
  readonly parseAs?: ParseAs;
}

/** Keeps a response alive as long as its body. Node cancels the unread body of a garbage-collected response. */
const RESPONSES = new WeakMap<object, Response>();

/**
 * Creates the calls of a document. The order, within the time limit: `openapi-fetch` -> `onRequest` of middleware, which
 * sees the path of the document -> attempts (`sender`) -> `bufferError` (`openapi-fetch` reads errors of any size, and as
 * UTF-8) -> `onResponse` of middleware -> `readData`, unless the caller reads a stream -> `convert`. If one of the last
 * two throws a retryable error, all is repeated. What middleware throws is passed on, and not retried.
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
  const readData = async (result: RawResult, info: CallInfo, parseAs: ParseAs = 'json') => {
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

  const call = async <T = RawResult>(
    method: 'GET' | 'POST',
    path: string,
    init: CallInit,
    convert: (result: RawResult, info: CallInfo) => T = (result) => result as T,
  ): Promise<T> => {
    // Without `params.path`, `openapi-fetch` would send the template of the path.
    const params = { ...init.params, path: init.params?.path ?? {} };
    // The platform's error would show the value of an invalid header.
    toRecord({ ...init.headers, ...params.header });
    const url = baseUrl + toPath(path, params.path, greedy);
    const info = { method, url };

    return withBudget(init, sender.limits, info, async (budget) => {
      // `openapi-fetch` only builds the request and runs the middleware.
      const openApiInit = {
        ...init,
        params,
        pathSerializer: () => url,
        parseAs: 'stream',
        // The budget aborts instead.
        signal: null,
        async fetch(request: Request) {
          const body = isStream(init.body) ? request.body : undefined;
          return bufferError(await sender.send(request, { body }, budget));
        },
      };
      for (;;) {
        const result = await client[method](path, openApiInit);
        try {
          return convert(await readData(result, info, init.parseAs), info);
        } catch (error) {
          const failure = isBerthError(error)
            ? error
            : networkError('The response was interrupted', info, error);
          await budget.waitForRetry(failure, result.response.headers);
        }
      }
    });
  };

  const GET = (path: string, init: CallInit = {}) => call('GET', path, init);
  const POST = (path: string, init: CallInit = {}) =>
    closeOnFailure(init.body, () => call('POST', path, init));
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
    toSegment(name, text);
    return greedy.includes(name) ? text : defaultPathSerializer(expression, params);
  });
  // Without its `/`, a path would become part of the name of the service.
  return checkPath('path', path.replace(/^\/?/, '/'));
}
