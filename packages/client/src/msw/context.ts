import type { WireProfile } from '@berth/spec/wire-profile';
import { type HttpHandler, HttpResponse, http } from 'msw';
import { ALLOW_METHODS } from '../generated/msw.gen.ts';

/** A stored file. */
export interface MswFile {
  /** Content of the file. */
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Media type of the content. */
  readonly contentType: string;
  /** Strong ETag, which is different each time a file is stored. */
  readonly etag: string;
  /** Decodes the content as UTF-8 text. */
  text(): string;
}

/**
 * Options for storing a file in a test.
 *
 * @example
 * berth.files.put('a.html', '<p>Hello', { contentType: 'text/html' });
 */
export interface FileOptions {
  /** Media type. Default: `application/octet-stream`. */
  readonly contentType?: string | undefined;
}

/**
 * The files that the handlers keep in memory. A test can store files before it calls the application, and
 * inspect them afterwards. Paths may have one leading `/`.
 *
 * @example
 * const fileID = berth.files.put('reports/a.txt', 'Hello', { contentType: 'text/plain' });
 * await app.rename('reports/a.txt', 'b.txt');
 * expect(berth.files.paths()).toEqual(['reports/b.txt']);
 * expect(berth.files.get('reports/b.txt')?.text()).toBe('Hello');
 */
export interface MswFiles {
  /** Stores a file and returns its ID. */
  put(path: string, content: string | Uint8Array, options?: FileOptions): string;
  /** Returns the file at a path, or `undefined` if it does not exist. */
  get(path: string): MswFile | undefined;
  /** Returns the paths of all files, without a leading `/`, in the order in which they were stored. */
  paths(): string[];
  /** Removes all files. Call it after each test. */
  clear(): void;
}

/** Converts a path to a key by dropping one leading `/` (D24). */
export function toKey(path: string): string {
  return path.replace(/^\//, '');
}

/** Creates an empty store for the files of one environment, by key. */
export function createFileStore(envId: string) {
  const files = new Map<string, MswFile>();
  let revision = 0;
  // `cloud://<envId>.<bucket>/<path>`, with an unencoded path (D23).
  const prefix = `cloud://${envId}.files/`;
  const toFileID = (key: string) => prefix + key;
  const store = (key: string, given: Uint8Array, contentType: string): MswFile => {
    const bytes = new Uint8Array(given);
    revision += 1;
    const etag = `"${revision}"`;
    const file = { bytes, contentType, etag, text: () => new TextDecoder().decode(bytes) };
    files.set(key, file);
    return file;
  };
  /** The view of tests, with paths instead of keys. */
  const forTests: MswFiles = {
    put(path, content, { contentType = 'application/octet-stream' } = {}) {
      const bytes = typeof content === 'string' ? new TextEncoder().encode(content) : content;
      store(toKey(path), bytes, contentType);
      return toFileID(toKey(path));
    },
    get: (path) => files.get(toKey(path)),
    paths: () => [...files.keys()],
    clear: () => files.clear(),
  };
  return {
    files,
    forTests,
    store,
    toFileID,
    /** Returns the key for a file ID, or `undefined` if the ID is invalid or from another environment. */
    toKeyOf: (fileID: string) =>
      fileID.startsWith(prefix) ? fileID.slice(prefix.length) : undefined,
  };
}

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
