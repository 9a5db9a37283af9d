import type { Client, ClientOptions, ParseAs } from 'openapi-fetch';
import createClient, { defaultPathSerializer } from 'openapi-fetch';
import { parseJson } from './body.ts';
import { toRecord } from './checks.ts';
import type { CallInfo } from './errors.ts';
import { BerthError, contractError, isBerthError, networkError } from './errors.ts';
import type { BufferError, Sender } from './fetch.ts';
import type { CallOptions } from './limits.ts';
import { retryAfter, withBudget } from './limits.ts';
import { closeOnFailure, isStream } from './streams.ts';
import { checkPath, toSegment } from './urls.ts';

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
  readonly params?: { readonly path?: object; readonly header?: object };
  readonly headers?: object;
  readonly body?: unknown;
  /** How to read a successful response. Default: `json`. */
  readonly parseAs?: ParseAs | undefined;
  /** Converts the result. If it throws a retryable error, the call is retried. */
  readonly read?: (result: RawResult, info: CallInfo) => unknown;
  /** Other options are those of `openapi-fetch`. */
  readonly [name: string]: unknown;
}

/**
 * Creates the calls of a document. `openapi-fetch` builds the requests and runs the middleware; the time limit includes
 * reading the response, unless it is a stream.
 *
 * @param toPath returns the path of a call from its template and its parameters
 * @param readText may limit the size of text and JSON. Default: any size
 */
export function createCalls<Paths extends object>(
  sender: Sender,
  baseUrl: string,
  toPath: (template: string, params: Readonly<Record<string, unknown>>) => string,
  bufferError: BufferError,
  readText: (response: Response, info: CallInfo) => Promise<string> = (response) => response.text(),
): Calls<Paths> {
  // Streams need `duplex`; other bodies ignore it.
  const client = createClient<Paths>({ baseUrl, duplex: 'half' } as ClientOptions);

  /** Reads the body of a success as `openapi-fetch` documents `parseAs`. */
  const readData = async (result: RawResult, parseAs: ParseAs = 'json', info: CallInfo) => {
    const { data: body, response } = result;
    if (!response.ok || body === undefined || parseAs === 'stream') return result;
    const isText = parseAs === 'json' || parseAs === 'text';
    const content = isText ? await readText(response, info) : await response[parseAs]();
    const data = parseAs === 'json' ? parseJson(content as string) : content;
    if (content && data === undefined) throw contractError(response, info, 'invalid JSON');
    return { data, response };
  };

  const call = async (method: 'GET' | 'POST', path: string, init: CallInit = {}) => {
    // Otherwise, the path would become part of the name of the service.
    if (!path.startsWith('/')) {
      throw new BerthError('options', `The path ${path} must start with "/".`);
    }
    const { params, body, parseAs, read } = init;
    // `openapi-fetch` would show the value of an invalid header.
    toRecord({ ...init.headers, ...params?.header });
    const pathParams = { ...params?.path };
    const info = { method, url: baseUrl + toPath(path, pathParams) };

    return withBudget(init, sender.limits, info, async (budget) => {
      const openapiInit = {
        // It ignores the options of this client, but would listen to the signal.
        ...init,
        signal: undefined,
        // Without an object for the path, `openapi-fetch` would send the template.
        params: { ...params, path: pathParams },
        pathSerializer: () => info.url,
        parseAs: 'stream' as const,
        fetch(request: Request) {
          const stream = isStream(body) ? request.body : undefined;
          return sender.send(request, { body: stream }, budget, bufferError);
        },
      };
      for (;;) {
        // What middleware throws is passed on, and not retried.
        const result = await (client[method] as RawCall)(path, openapiInit);
        try {
          const complete = await readData(result, parseAs, info);
          return read ? read(complete, info) : complete;
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
    GET: (path: string, init?: CallInit) => call('GET', path, init),
    POST: (path: string, init: CallInit = {}) =>
      closeOnFailure(init.body, () => call('POST', path, init)),
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
