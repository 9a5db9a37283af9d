import { type HttpHandler, HttpResponse, http } from 'msw';
import { ALLOW_METHODS } from '../generated/msw.gen.ts';
import type { WireProfile } from '../wire-profile.ts';
import type { createFileStore } from './files.ts';

export interface MswContext {
  readonly envId: string;
  readonly gatewayUrl: string;
  readonly storageUrl: string;
  readonly profile: WireProfile;
  readonly store: ReturnType<typeof createFileStore>;
  /** Upload grants by token (D27). */
  readonly grants: Map<
    string,
    { key: string; authorization: string; storeFileID: string; expires: number }
  >;
  /** Links by signature (D22). */
  readonly links: Map<string, { key: string; expires: number }>;
}

export const UPLOAD_PATH = '/upload';

export const LINK_PATH = '/files/';

/** Creates a pattern that matches a complete URL, excluding its query. */
export function toPattern(baseUrl: string, pattern: string): RegExp {
  return new RegExp(`^${escapePattern(baseUrl)}${pattern}$`);
}

export function escapePattern(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
}

/**
 * Creates a handler that responds to CORS preflight requests with 204 (D11). Deployments may allow additional
 * headers, so every requested header is allowed.
 */
export function allowPages(addresses: RegExp, surface: keyof typeof ALLOW_METHODS): HttpHandler {
  return http.options(addresses, ({ request }) => {
    const headers = new Headers({
      'Access-Control-Allow-Origin': '*',
      'Access-Control-Allow-Methods': ALLOW_METHODS[surface].join(', '),
    });
    const asked = request.headers.get('Access-Control-Request-Headers');
    if (asked !== null) headers.set('Access-Control-Allow-Headers', asked);
    return new HttpResponse(null, { status: 204, headers });
  });
}

/** Allows pages of any origin to read the response (D11). */
export function allowAnyOrigin<Result extends Response | undefined>(
  response: Result,
): Result | Response {
  if (response === undefined || isMswMarker(response)) return response;
  const { body, status, statusText } = response;
  const headers = new Headers(response.headers);
  headers.set('Access-Control-Allow-Origin', '*');
  headers.set('Access-Control-Expose-Headers', '*');
  return new HttpResponse(body, { status, statusText, headers });
}

/** Returns whether this is an MSW network error, or the MSW marker for passing the request through. */
export function isMswMarker(response: Response): boolean {
  return response.type === 'error' || response.headers.has('x-msw-intention');
}

/**
 * Options for an error response.
 *
 * @example
 * service.get('busy', () => gatewayError('EXCEED_RATELIMIT', { headers: { 'Retry-After': '1' } }));
 */
export interface ErrorOptions {
  /** HTTP status. Default: the contract's status for the code. */
  readonly status?: number | undefined;
  /** Error message. Default: the contract's message for the code. */
  readonly message?: string | undefined;
  /** Additional headers. `Retry-After` is added if the contract defines one for the code. */
  readonly headers?: RequestInit['headers'] | undefined;
}

/** A code from the table, or any other code along with a status. */
export type ErrorArguments<Table> =
  | [code: keyof Table & string, options?: ErrorOptions]
  | [code: string, options: ErrorOptions & { readonly status: number }];

interface Row {
  readonly status: number;
  readonly message: string;
  readonly retryAfter?: number;
}

/** Returns the parts of an error response. Values that the options do not set come from the error table. */
export function toError(
  table: Readonly<Record<string, Row>>,
  code: string,
  { status, message, headers: given }: ErrorOptions = {},
) {
  const row = Object.hasOwn(table, code) ? table[code] : undefined;
  const requestId = crypto.randomUUID();
  const headers = new Headers(given);
  headers.set('X-Request-Id', requestId);
  if (row?.retryAfter !== undefined && !headers.has('Retry-After')) {
    headers.set('Retry-After', String(row.retryAfter));
  }
  return {
    status: status ?? row?.status ?? 500,
    message: message ?? row?.message ?? code,
    requestId,
    headers,
  };
}
