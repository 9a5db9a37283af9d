import {
  PROFILE_NAME,
  STORAGE_HEADERS,
  STORE_FILE_ID,
  UPLOAD_FIELDS,
  UPSTREAM_STATUS,
  type WireProfileNames,
} from './generated/contract.gen.ts';

/**
 * The header, form field and JSON field names that a deployment may replace with its own (D1). The values are
 * case-insensitive names of headers and form fields, except for `storeFileID`, which is a JSON field.
 *
 * @example
 * import profile from './acme.json' with { type: 'json' };
 * createStorageClient({ baseUrl, envId, credentials, wireProfile: profile });
 */
export interface WireProfile extends WireProfileNames {}

/**
 * The contract's vendor-neutral names, which the client uses unless you set another profile.
 *
 * @example
 * defaultWireProfile.storageHeaders.authorization; // 'X-Svc-Authorization'
 */
export const defaultWireProfile: WireProfile = {
  name: PROFILE_NAME,
  storageHeaders: STORAGE_HEADERS,
  uploadFields: UPLOAD_FIELDS,
  storeFileID: STORE_FILE_ID,
  gatewayHeaders: { upstreamStatus: UPSTREAM_STATUS },
};

/** The part of a wire profile that the storage API uses. */
export type StorageNames = Pick<WireProfile, 'storageHeaders' | 'uploadFields' | 'storeFileID'>;
