import { HttpError } from '@berth/server-stubs/contract';
import type { Call } from '@berth/server-stubs/runtime';
// @ts-expect-error: it has no types.
import parse from 'parse-prefer-header';

const parsePreferHeader: (header: string) => Record<string, string | true | undefined> = parse;

/** What a caller may choose, as in Prism: `Prefer: code=404, example=none, dynamic=true, seed=1`. */
export interface Preferences {
  readonly code?: number;
  readonly example?: string;
  /** Generate the response from its schema instead of using an example. The same seed generates the same one. */
  readonly dynamic?: boolean;
  readonly seed?: string;
}

/**
 * Parses the `Prefer` header (RFC 7240) as Prism's own server does. Returns undefined if it has no preference for the
 * mock.
 *
 * @throws HttpError that names an invalid preference
 */
export function readPreferences({ headers }: Call['request']): Preferences | undefined {
  const { prefer } = headers;
  if (prefer === undefined) return undefined;
  const parsed = parsePreferHeader([prefer].flat().join(','));
  const { code, example, dynamic, seed } = parsed;
  if (![code, example, dynamic, seed].some((value) => value !== undefined)) return undefined;
  for (const [name, { pattern, expected }] of Object.entries(VALUES)) {
    const value = parsed[name];
    if (value === undefined || (value !== true && pattern.test(value))) continue;
    const message = `${name} in the Prefer header must be ${expected}.`;
    throw new HttpError('invalid-request', message);
  }
  return {
    ...(code !== undefined && { code: Number(code) }),
    ...(typeof example === 'string' && { example }),
    ...(dynamic !== undefined && { dynamic: dynamic === 'true' }),
    ...(typeof seed === 'string' && { seed }),
  };
}

const VALUES = {
  // A 1xx status would leave the client waiting for the final response.
  code: { pattern: /^[2-5]\d\d$/, expected: 'a status from 200 to 599, for example "code=404"' },
  dynamic: { pattern: /^(true|false)$/, expected: 'true or false, for example "dynamic=true"' },
  example: { pattern: /./, expected: 'a name, for example "example=greeting"' },
};
