import type { FetchOptions, FetchResponse, Middleware, ParseAs } from 'openapi-fetch';
import type { Pipeline } from './pipeline/pipeline-call.ts';
import type { RawDefaults, SendRaw } from './send-raw.ts';

/**
 * The raw calls of a client. What builds them is loaded with the first of them: most applications
 * have none.
 */
export function createRawCalls(pipeline: Pipeline, defaults: RawDefaults) {
  let middleware: Middleware[] = [];
  let loading: Promise<SendRaw> | undefined;
  const call = (method: 'GET' | 'POST') => async (path: string, init: object) => {
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

/** Paths of a document that know a method. */
export type PathWith<Paths, Method extends string> = {
  [Path in keyof Paths]: Paths[Path] extends Record<Method, object> ? Path : never;
}[keyof Paths];

/**
 * Options of one call. `openapi-fetch` infers them from the argument, which lets misspelt names
 * pass; here they follow from the path alone, so that a wrong name is a compile error.
 */
export type CallInit<Operation, As> = Omit<FetchOptions<Operation>, 'parseAs'> & {
  /** How the body of a success is read. Default `json`. */
  parseAs?: As;
};

/** What one call gives: `data` where the status is 2xx, else `error`; always `response`. */
export type CallResult<Operation extends object, As extends ParseAs> = FetchResponse<
  Operation & Record<string, unknown>,
  { parseAs: As },
  'application/json'
>;
