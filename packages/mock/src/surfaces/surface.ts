/** What the server and the MSW handlers share about their surfaces. Also runs in browsers: must not import Node modules. */
import type { StorageOperationId } from '@berth/server-stubs/contract';
import type { StorageApi } from '@berth/storage';

/** The path of `uploadFile` in the document. The mock serves it there, and not at the engine's `UPLOAD_PATH`. */
export const DOCUMENT_UPLOAD_PATH = '/';

export const BUCKET = 'files';

/** The surfaces with a document. The storage document also covers the upload target. */
export type DescribedSurface = 'gateway' | 'storage';

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
