import { type HttpHandler, HttpResponse, http } from 'msw';
import { ALLOW_METHODS } from '../generated/msw.gen.ts';
import type { WireProfile } from '../wire-profile.ts';
import type { FileStore } from './files.ts';

/** An upload grant (D27). */
interface Grant {
  readonly key: string;
  readonly authorization: string;
  readonly storeFileID: string;
  readonly expires: number;
}

/** A temporary link (D22). */
interface Link {
  readonly key: string;
  readonly expires: number;
}

/** What all handlers share. */
export interface MswContext {
  readonly envId: string;
  readonly gatewayUrl: string;
  readonly storageUrl: string;
  readonly profile: WireProfile;
  readonly store: FileStore;
  /** Grants by their tokens. */
  readonly grants: Map<string, Grant>;
  /** Links by their signatures. */
  readonly links: Map<string, Link>;
}

/** Where uploads of these handlers go to, and their links, below the address of the storage API. */
export const UPLOAD_PATH = '/upload';

export const LINK_PATH = '/files/';

/** A pattern of whole addresses; they are compared without their queries. */
export function toPattern(baseUrl: string, pattern: string): RegExp {
  return new RegExp(`^${escapePattern(baseUrl)}${pattern}$`);
}

/** A text as the pattern that fits it alone. */
export function escapePattern(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
}

/**
 * Answers what a page of another origin asks before its call (D11): "OPTIONS is the CORS preflight and
 * answers 204". A deployment may allow further headers, so that all that are asked for are allowed.
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

/** The answer, so that a page of any origin may read it (D11). */
export function openToPages<Answer extends Response | undefined>(
  answer: Answer,
): Answer | Response {
  if (answer === undefined || isMswSign(answer)) return answer;
  const { body, status, statusText } = answer;
  const headers = new Headers(answer.headers);
  headers.set('Access-Control-Allow-Origin', '*');
  headers.set('Access-Control-Expose-Headers', '*');
  return new HttpResponse(body, { status, statusText, headers });
}

/** A network error of MSW, or its sign to let the request through. */
export function isMswSign(answer: Response): boolean {
  return answer.type === 'error' || answer.headers.has('x-msw-intention');
}

/**
 * What an error answer has beside its code.
 *
 * @example
 * service.get('busy', () => gatewayError('EXCEED_RATELIMIT', { headers: { 'Retry-After': '1' } }));
 */
export interface ErrorOptions {
  /** HTTP status. Default: the one that the contract's table has for the code. */
  readonly status?: number | undefined;
  /** Error text. Default: the one of the table. */
  readonly message?: string | undefined;
  /** Further headers; `Retry-After` is there where the table has one. */
  readonly headers?: RequestInit['headers'] | undefined;
}

/** An error that the table has; or another one, whose status you tell. */
export type ErrorArguments<Table> =
  | [code: keyof Table & string, options?: ErrorOptions]
  | [code: string, options: ErrorOptions & { readonly status: number }];

interface Row {
  readonly status: number;
  readonly message: string;
  readonly retryAfter?: number;
}

/** The parts of an error answer: what is given, else what the table says. */
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
