import { HttpError } from '@berth/server-stubs/contract';
// @ts-expect-error: it has no types.
import parse from 'parse-prefer-header';

/** Parses preferences by name (RFC 7240); `true` for one without a value. */
const parsePreferHeader: (header: string) => Record<string, string | true | undefined> = parse;

/** What a caller may choose, as in Prism: `Prefer: code=404, example=none, dynamic=true, seed=1`. */
export interface Preferences {
  /** Response status, 200 to 599. */
  readonly code?: number;
  /** Name of an example in the document. */
  readonly example?: string;
  /** Generate the response from its schema instead of using an example. */
  readonly dynamic?: boolean;
  /** The same seed generates the same response. */
  readonly seed?: string;
}

/**
 * Parses a `Prefer` header (RFC 7240) as Prism's own server does.
 *
 * @returns undefined if the header has no preference for the mock
 * @throws HttpError 400 if a value is invalid
 */
export function readPreferences(header: string | string[] | undefined): Preferences | undefined {
  if (header === undefined) return undefined;
  const { code, example, dynamic, seed } = parsePreferHeader([header].flat().join(','));
  if (code === undefined && example === undefined && dynamic === undefined) return undefined;
  // A 1xx status would leave the client waiting for the final response.
  if (code !== undefined && !/^[2-5]\d\d$/.test(String(code))) {
    throw invalid('code', 'a status from 200 to 599, for example "code=404"');
  }
  if (dynamic !== undefined && dynamic !== 'true' && dynamic !== 'false') {
    throw invalid('dynamic', 'true or false, for example "dynamic=true"');
  }
  if (example === true) throw invalid('example', 'a name, for example "example=greeting"');
  return {
    ...(code !== undefined && { code: Number(code) }),
    ...(example !== undefined && { example }),
    ...(dynamic !== undefined && { dynamic: dynamic === 'true' }),
    ...(typeof seed === 'string' && { seed }),
  };
}

function invalid(name: string, expected: string): HttpError {
  return new HttpError('invalid-request', `${name} in the Prefer header must be ${expected}.`);
}
