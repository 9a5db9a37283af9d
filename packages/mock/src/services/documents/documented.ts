import type { Preferences } from '../../contract/oracle/read-preferences.ts';
import type { MockedResponse, RouteContext } from '../services.ts';

/** How a document is served. */
export interface DocumentOptions {
  /** Whether it is served at the root, where every method arrives, and not through the gateway. */
  readonly isRoot: boolean;
  /** Whether calls without the credentials in its `security` are rejected. */
  readonly checksSecurity: boolean;
  /** Whether its collections keep what calls add and change. */
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
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return { status, headers, body, text };
}

/**
 * Applies a valid call to a collection.
 *
 * @param documented the documented response, which gives status, headers and missing properties
 * @returns the response, or a message if the collection has no such item
 */
export type Remember = (
  context: RouteContext,
  body: unknown,
  documented: Documented,
) => Documented | MockedResponse | { readonly missing: string };
