/** What the server and the MSW handlers share about their surfaces. Pages import it, so it needs no Node modules. */
import type { StorageCall, StorageLogin } from '@berth/server-stubs';
import {
  type ContractErrorOptions,
  GatewayError,
  StorageError,
  type StorageOperationId,
  toWireForm,
  UploadError,
} from '@berth/server-stubs/contract';
import type { HandlerResponse } from '@berth/server-stubs/runtime';
import type { WireProfile } from '@berth/spec/wire-profile';
import type { Storage } from '@berth/storage';

/** The path of `uploadFile` in the document. The mock serves it there, and not at the engine's `UPLOAD_PATH`. */
export const DOCUMENT_UPLOAD_PATH = '/';

export const BUCKET = 'files';

/** The surfaces with a document. That of storage also has the upload target. */
export type DocumentedSurface = 'gateway' | 'storage';

export type SurfaceName = DocumentedSurface | 'upload' | 'link';

const ERRORS = {
  gateway: GatewayError,
  storage: StorageError,
  upload: UploadError,
  link: UploadError,
} as const;

export type SurfaceError = GatewayError | StorageError | UploadError;

export function toSurfaceError(
  surface: SurfaceName,
  code: string,
  options?: ContractErrorOptions,
): SurfaceError {
  return new ERRORS[surface](code, options);
}

/** Why the mock itself refuses a call: the code of the gateway, of storage, and of uploads and links. */
const REASONS = {
  failed: ['SYS_ERR', 'SYS_ERR', 'InternalError'],
  host: ['INVALID_HOST', 'INVALID_PARAM', 'MalformedPOSTRequest'],
  method: ['METHOD_NOT_ALLOWED', 'METHOD_NOT_ALLOWED', 'MalformedPOSTRequest'],
  invalid: ['INVALID_REQUEST', 'INVALID_PARAM', 'MalformedPOSTRequest'],
} as const;

export function surfaceErrorFor(
  reason: keyof typeof REASONS,
  surface: SurfaceName,
  options?: ContractErrorOptions,
): SurfaceError {
  const [gateway, storage, upload] = REASONS[reason];
  return toSurfaceError(surface, { gateway, storage, upload, link: upload }[surface], options);
}

export const STORAGE_OPERATIONS: readonly StorageOperationId[] = [
  'getUploadMetaData',
  'batchGetTempUrls',
  'batchDelete',
  'batchCopyFile',
];

/** Calls an operation of the storage API. A mock does not tell callers apart. */
export async function callStorage(
  { storage }: Storage,
  id: StorageOperationId,
  input: unknown,
  { envId, request, requestId, signal }: StorageLogin,
): Promise<unknown> {
  const caller = { env: envId, id: 'mock' };
  const operation = storage[id] as (input: unknown, call: Partial<StorageCall>) => unknown;
  return operation(input, { envId, caller, request, requestId, signal });
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
    headers.delete(name);
    for (const line of [value].flat()) headers.append(name, String(line));
  }
  const isBytes = typeof body === 'string' || ArrayBuffer.isView(body);
  const isJson = Boolean(body) && !isBytes && !(body instanceof ReadableStream);
  if (isJson) headers.set('content-type', 'application/json');
  if (body === undefined || method === 'HEAD' || status === 204 || status === 304) {
    return new Response(null, { status, headers });
  }
  const content = isJson ? JSON.stringify(toWireForm(body, profile)) : body;
  // MSW reads a copy of a stream, whose source would never see that the caller has left.
  return new Response(
    content instanceof ReadableStream
      ? content.pipeThrough(new TransformStream(), { signal: signal as AbortSignal })
      : (content as ConstructorParameters<typeof Response>[0]),
    { status, headers },
  );
}
