/** What the server and the MSW handlers share about their surfaces. Also runs in browsers: must not import Node modules. */
import type { StorageCall } from '@berth/server-stubs';
import {
  type ContractErrorOptions,
  GATEWAY_ERRORS,
  GatewayError,
  HttpError,
  MERGED_HEADERS,
  STORAGE_ERRORS,
  StorageError,
  type StorageOperationId,
  toContractError,
  toWireForm,
  UPLOAD_ERRORS,
  UploadError,
} from '@berth/server-stubs/contract';
import type { HandlerResponse } from '@berth/server-stubs/runtime';
import type { WireProfile } from '@berth/spec/wire-profile';
import type { StorageApi } from '@berth/storage';

/** The path of `uploadFile` in the document. The mock serves it there, and not at the engine's `UPLOAD_PATH`. */
export const DOCUMENT_UPLOAD_PATH = '/';

export const BUCKET = 'files';

/** The surfaces with a document. The storage document also covers the upload target. */
export type DocumentedSurface = 'gateway' | 'storage';

export const SURFACES = ['gateway', 'storage', 'upload', 'link'] as const;

export type SurfaceName = (typeof SURFACES)[number];

/** What a call targets; logged, and matched by fault rules. */
export interface CallSubject {
  /** The surface whose errors the call gets if the mock itself rejects it. */
  readonly surface: SurfaceName;
  /** The `operationId` in the document that responds; undefined if no operation matches. */
  readonly operationId?: string | undefined;
  /** Hosted service that a gateway call is for. */
  readonly service?: string | undefined;
}

/** The errors of each surface: their class, and the contract's table. */
const ERRORS = {
  gateway: { Class: GatewayError, table: GATEWAY_ERRORS },
  storage: { Class: StorageError, table: STORAGE_ERRORS },
  upload: { Class: UploadError, table: UPLOAD_ERRORS },
  link: { Class: UploadError, table: UPLOAD_ERRORS },
} as const;

export type SurfaceError = GatewayError | StorageError | UploadError;

export function toSurfaceError(
  surface: SurfaceName,
  code: string,
  options?: ContractErrorOptions,
): SurfaceError {
  return new ERRORS[surface].Class(code, options);
}

/** Creates an error with which the mock itself rejects a call, with the code that a router would choose. */
export function toMockError(
  surface: SurfaceName,
  kind: HttpError['kind'],
  options?: ContractErrorOptions,
): SurfaceError {
  const router = surface === 'link' ? 'upload' : surface;
  const { code } = toContractError(router, new HttpError(kind, ''));
  return toSurfaceError(surface, code, options);
}

/** Returns the contract's codes for entire calls, of one status or of all. Items of a list have codes of their own. */
export function errorCodesOf(surface: SurfaceName, status?: number): readonly string[] {
  return Object.entries(ERRORS[surface].table)
    .filter(([, row]) => status === undefined || row.status === status)
    .map(([code]) => code);
}

/** RFC 9110, section 15.5.2: a 401 "MUST send a WWW-Authenticate header field". */
export function toChallenge(
  surface: SurfaceName,
  status: number,
  { storageHeaders }: WireProfile,
): Record<string, string> {
  if (status !== 401) return {};
  const scheme =
    surface === 'storage'
      ? `ApiKey realm="mock", in="header", name="${storageHeaders.authorization}"`
      : 'Bearer realm="mock"';
  return { 'www-authenticate': scheme };
}

/** The operations that the engine implements: if one is missing, this does not compile. */
export const STORAGE_OPERATIONS = Object.keys({
  getUploadMetaData: true,
  batchGetTempUrls: true,
  batchDelete: true,
  batchCopyFile: true,
} satisfies Record<keyof StorageApi['storage'], true>) as readonly StorageOperationId[];

/** The operations that the mock implements. Prism responds to all others. */
export const IMPLEMENTED: ReadonlySet<string> = new Set([
  ...STORAGE_OPERATIONS,
  'cloudrun-get-root',
  'cloudrun-post-root',
  'cloudrun-get',
  'cloudrun-post',
  'uploadFile',
]);

/** Calls an operation of the storage API. All callers are the same to the mock. */
export function callStorage(
  { storage }: StorageApi,
  id: StorageOperationId,
  input: unknown,
  { env, request, requestId, signal }: StorageCall,
): unknown {
  const caller = { env, id: 'mock' };
  const operation = storage[id] as (input: unknown, call: Partial<StorageCall>) => unknown;
  return operation(input, { env, caller, request, requestId, signal });
}

/** @param common headers of every response on the surface */
export function toFetchResponse(
  { status, headers: added = {}, body }: HandlerResponse,
  common: Readonly<Record<string, string>>,
  { method, signal }: { readonly method?: string | undefined; readonly signal?: AbortSignal },
  profile: WireProfile,
): Response {
  const headers = new Headers(common);
  for (const [name, value] of Object.entries(added)) {
    if (value === undefined) continue;
    if (!MERGED_HEADERS.has(name.toLowerCase())) headers.delete(name);
    for (const line of [value].flat()) headers.append(name, String(line));
  }
  const isBytes = typeof body === 'string' || ArrayBuffer.isView(body);
  const isJson = Boolean(body) && !isBytes && !(body instanceof ReadableStream);
  if (isJson) headers.set('content-type', 'application/json');
  if (body === undefined || method === 'HEAD' || status === 204 || status === 304) {
    return new Response(null, { status, headers });
  }
  const content = isJson ? JSON.stringify(toWireForm(body, profile)) : body;
  // MSW reads a copy of a stream, whose source would never see that the caller has disconnected.
  return new Response(
    content instanceof ReadableStream
      ? content.pipeThrough(new TransformStream(), { signal: signal as AbortSignal })
      : (content as ConstructorParameters<typeof Response>[0]),
    { status, headers },
  );
}
