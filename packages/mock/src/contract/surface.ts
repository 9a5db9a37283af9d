import {
  type ContractErrorOptions,
  GatewayError,
  StorageError,
  UploadError,
} from '@berth/server-stubs';

/** Path of the upload target in the storage document. */
export const UPLOAD_PATH = '/';

/** The names of the surfaces that share the port. */
export type SurfaceName = 'gateway' | 'storage' | 'upload' | 'link';

const ERRORS = {
  gateway: GatewayError,
  storage: StorageError,
  upload: UploadError,
  link: UploadError,
} as const;

/** An error from the contract, in its surface's format. */
export type Refusal = GatewayError | StorageError | UploadError;

export function toRefusal(
  surface: SurfaceName,
  code: string,
  options?: ContractErrorOptions,
): Refusal {
  return new ERRORS[surface](code, options);
}

/** The code with which each surface rejects an invalid request. */
export const INVALID: Readonly<Record<SurfaceName, string>> = {
  gateway: 'INVALID_REQUEST',
  storage: 'INVALID_PARAM',
  upload: 'MalformedPOSTRequest',
  link: 'MalformedPOSTRequest',
};
