/** The errors of each surface. Also runs in browsers: must not import Node modules. */
import {
  type ContractErrorOptions,
  GATEWAY_ERRORS,
  GatewayError,
  HttpError,
  STORAGE_ERRORS,
  StorageError,
  toContractError,
  UPLOAD_ERRORS,
  UploadError,
} from '@berth/server-stubs/contract';
import type { WireProfile } from '@berth/spec/wire-profile';
import type { SurfaceName } from './surface.ts';

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

/** Creates an error with the code that the surface's router would choose. */
export function toErrorOfKind(
  surface: SurfaceName,
  kind: HttpError['kind'],
  options?: ContractErrorOptions,
): SurfaceError {
  const router = surface === 'link' ? 'upload' : surface;
  const { code } = toContractError(router, new HttpError(kind, ''));
  return toErrorWithCode(surface, code, options);
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
