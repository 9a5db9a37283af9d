/// <reference path="../../prism/parse-prefer-header.d.ts" />
import parsePreferHeader from 'parse-prefer-header';

export interface Preferences {
  /** Response status, 200 to 599. */
  code?: number;
  /** Name of an example in the contract. */
  exampleKey?: string;
  /** Generate the response from its schema instead of using an example. */
  dynamic: boolean;
  /** Seed for a generated response: the same seed produces the same response. */
  seed?: string;
}

/**
 * Parses `Prefer: code=404, example=…, dynamic=true, seed=…` as Prism's own server does.
 *
 * @returns the preferences, `undefined` if the header has no preference for the mock, or a message if a value
 *   is invalid
 */
export function readPreferences(
  header: string | undefined,
): Preferences | { fault: string } | undefined {
  const { code, example, dynamic, seed } = parsePreferHeader(header ?? '');
  if (code === undefined && example === undefined && dynamic === undefined) return undefined;
  // A 1xx status would leave the client waiting for the final response.
  if (code !== undefined && !/^[2-5]\d\d$/.test(String(code))) {
    return {
      fault: 'code in the Prefer header must be a status from 200 to 599, for example "code=404".',
    };
  }
  if (dynamic !== undefined && dynamic !== 'true' && dynamic !== 'false') {
    return {
      fault: 'dynamic in the Prefer header must be true or false, for example "dynamic=true".',
    };
  }
  if (example === true) {
    return {
      fault: 'example in the Prefer header must have a name, for example "example=greeting".',
    };
  }
  return {
    dynamic: dynamic === 'true',
    ...(code !== undefined && { code: Number(code) }),
    ...(example !== undefined && { exampleKey: example }),
    ...(typeof seed === 'string' && { seed }),
  };
}
