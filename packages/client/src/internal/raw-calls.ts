import type { FetchOptions, FetchResponse, Middleware, ParseAs } from 'openapi-fetch';
import type { Pipeline } from './pipeline.ts';
import type { RawDefaults, SendRaw } from './send-raw.ts';

export type { RawDefaults };

/**
 * Creates a client's raw calls. The code behind them is loaded on first use, because most applications
 * never need it.
 */
export function createRawCalls(pipeline: Pipeline, defaults: RawDefaults) {
  let middleware: Middleware[] = [];
  let loading: Promise<SendRaw> | undefined;
  const call =
    (method: 'GET' | 'POST') =>
    async (path: string, init: object = {}) => {
      loading ??= import('./send-raw.ts').then(({ createSendRaw }) =>
        createSendRaw(pipeline, defaults),
      );
      return (await loading)(method, path, init, middleware) as never;
    };
  return {
    call,
    use(...added: Middleware[]) {
      middleware.push(...added);
    },
    eject(...removed: Middleware[]) {
      middleware = middleware.filter((each) => !removed.includes(each));
    },
  };
}

/** The paths in a document that support a method. */
export type PathWith<Paths, Method extends string> = {
  [Path in keyof Paths]: Paths[Path] extends Record<Method, object> ? Path : never;
}[keyof Paths];

/**
 * Options for one call. `openapi-fetch` infers them from the argument, and so accepts misspelled names. Here
 * they depend only on the path, so that a misspelled name is a compile error.
 */
export type CallInit<Operation, As> = Omit<FetchOptions<Operation>, 'parseAs'> & {
  /** How to read the body of a successful response. Default: `json`. */
  parseAs?: As;
};

/**
 * The result of one call. It has `data` if the status is 2xx and `error` otherwise, and always has
 * `response`.
 */
export type CallResult<Operation extends object, As extends ParseAs> = FetchResponse<
  Operation & Record<string, unknown>,
  { parseAs: As },
  'application/json'
>;
