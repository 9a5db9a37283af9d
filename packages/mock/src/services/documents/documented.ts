import type { Preferences } from '../../contract/oracle/read-preferences.ts';
import type { MockedResponse, RouteContext } from '../services.ts';

/** Options for serving a document. */
export interface DocumentOptions {
  /** Whether the document is served at the root, which accepts every method, and not through the gateway. */
  readonly isRoot: boolean;
  /** Whether calls without the credentials that `security` requires are rejected. */
  readonly checksSecurity: boolean;
  /** Whether collections remember what calls add and change. */
  readonly remembers: boolean;
  /** The response to a call without preferences. */
  readonly standard: Preferences;
}

/** A response that the document describes. */
export interface Documented {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
  /** The body as sent. */
  readonly text: string | undefined;
}

export function withBody(head: Omit<Documented, 'body' | 'text'>, body: unknown): Documented {
  const { status, headers } = head;
  const isJson = /[/+]json\b/i.test(headers['content-type'] ?? '');
  const text = typeof body === 'string' && !isJson ? body : JSON.stringify(body);
  return { status, headers, body, text };
}

/**
 * Applies a valid call to a collection.
 *
 * @param documented the documented response, which determines the status, the headers and missing properties
 * @returns the response, or a message if the collection has no such item
 */
export type Remember = (
  context: RouteContext,
  body: unknown,
  documented: Documented,
) => Documented | MockedResponse | { readonly missing: string };
