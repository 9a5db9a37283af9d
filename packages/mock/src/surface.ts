/** Surfaces, operations and errors, in the mock and in MSW. Also runs in browsers: must not import Node modules. */
import {
  type ContractErrorOptions,
  GATEWAY_ERRORS,
  GatewayError,
  type HttpError,
  STORAGE_ERRORS,
  StorageError,
  type StorageOperationId,
  toContractError,
  UPLOAD_ERRORS,
  UploadError,
} from '@berth/server-stubs/contract';
import type { WireProfile } from '@berth/spec/wire-profile';
import type { StorageApi } from '@berth/storage';

/** The path of `uploadFile` in the document. The mock serves it there, and not at the engine's `UPLOAD_PATH`. */
export const DOCUMENT_UPLOAD_PATH = '/';

export const BUCKET = 'files';

export const SURFACES = ['gateway', 'storage', 'upload', 'link'] as const;

export type SurfaceName = (typeof SURFACES)[number];

/** The surface of each operation, by `operationId`. */
export type Operations = ReadonlyMap<string, SurfaceName>;

/** What a call targets; logged, and matched by fault rules. */
export interface CallTarget {
  /** The surface whose errors the call gets if the mock itself rejects it. */
  readonly surface: SurfaceName;
  /** The `operationId` in the document that responds; undefined if no operation matches. */
  readonly operationId?: string | undefined;
  /** Hosted service that a gateway call is for. */
  readonly service?: string | undefined;
}

/** The operations of the storage engine. If one is missing, this does not compile. */
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

const ERRORS = {
  gateway: { Class: GatewayError, table: GATEWAY_ERRORS },
  storage: { Class: StorageError, table: STORAGE_ERRORS },
  upload: { Class: UploadError, table: UPLOAD_ERRORS },
  link: { Class: UploadError, table: UPLOAD_ERRORS },
} as const;

export type SurfaceError = GatewayError | StorageError | UploadError;

export function toErrorWithCode(
  surface: SurfaceName,
  code: string,
  options?: ContractErrorOptions,
): SurfaceError {
  return new ERRORS[surface].Class(code, options);
}

/** Converts an error of a router, with the headers that HTTP requires. Links have the errors of the upload target. */
export function toSurfaceError(surface: SurfaceName, error: HttpError): SurfaceError {
  const name = surface === 'link' ? 'upload' : surface;
  const { code, status, message, cause } = toContractError(name, error);
  return toErrorWithCode(surface, code, { status, message, cause, headers: error.headers });
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
