import type { StorageLogin } from '@berth/server-stubs';
import {
  type ContractErrorOptions,
  GatewayError,
  StorageError,
  type StorageOperationId,
  UploadError,
} from '@berth/server-stubs/contract';
import type { Storage } from '@berth/storage';

/** The path of `uploadFile` in the document. The mock serves it there, and not at the engine's `UPLOAD_PATH`. */
export const DOCUMENT_UPLOAD_PATH = '/';

/** The bucket that contains the files. */
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

export type Refusal = GatewayError | StorageError | UploadError;

export function toRefusal(
  surface: SurfaceName,
  code: string,
  options?: ContractErrorOptions,
): Refusal {
  return new ERRORS[surface](code, options);
}

/** Why the mock itself refuses a call: the code of the gateway, of storage, and of uploads and links. */
const REASONS = {
  failed: ['SYS_ERR', 'SYS_ERR', 'InternalError'],
  host: ['INVALID_HOST', 'INVALID_PARAM', 'MalformedPOSTRequest'],
  invalid: ['INVALID_REQUEST', 'INVALID_PARAM', 'MalformedPOSTRequest'],
} as const;

export function refusalFor(
  reason: keyof typeof REASONS,
  surface: SurfaceName,
  options?: ContractErrorOptions,
): Refusal {
  const [gateway, storage, upload] = REASONS[reason];
  return toRefusal(surface, { gateway, storage, upload, link: upload }[surface], options);
}

/** Calls an operation of the storage API. A mock does not tell callers apart. */
export async function callStorage(
  { storage }: Storage,
  id: StorageOperationId,
  input: unknown,
  { envId, request, requestId, signal }: StorageLogin,
): Promise<unknown> {
  const caller = { env: envId, id: 'mock' };
  return storage[id](input as never, { envId, caller, request, requestId, signal } as never);
}
