import type { FetchOptions, FetchResponse, ParseAs } from 'openapi-fetch';

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
