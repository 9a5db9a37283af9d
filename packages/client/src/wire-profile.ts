import {
  PROFILE_NAME,
  STORAGE_HEADERS,
  STORE_FILE_ID,
  UPLOAD_FIELDS,
  UPSTREAM_STATUS,
} from './generated/contract.gen.ts';

/**
 * Names on the wire that a deployment may replace by its own (D1). The values are case-insensitive
 * header and form field names, save `storeFileID`, which is a JSON field.
 *
 * @example
 * import profile from './acme.json' with { type: 'json' };
 * createStorageClient({ baseUrl, envId, credentials, wireProfile: profile });
 */
export interface WireProfile {
  /** Name of the profile, for people. */
  readonly name?: string;
  /** The three headers of a storage call (D17). */
  readonly storageHeaders: {
    /** Header of the signature. */
    readonly authorization: string;
    /** Header of the session token. */
    readonly sessionToken: string;
    /** Header of the time, in seconds since the epoch. */
    readonly timestamp: string;
  };
  /** The two form fields of an upload that carry a vendor's word. */
  readonly uploadFields: {
    /** Field of the token of the grant. */
    readonly securityToken: string;
    /** Field of the ID in the object store. */
    readonly metaFileId: string;
  };
  /** Field of the upload metadata that holds the ID in the object store. */
  readonly storeFileID: string;
  /** Header that carries the hosted service's own status (D10). */
  readonly gatewayHeaders: {
    /** Name of that header. */
    readonly upstreamStatus: string;
  };
}

/**
 * The neutral names of the contract, in use where no other profile is given.
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

/** The names that concern storage. */
export type StorageNames = Pick<WireProfile, 'storageHeaders' | 'uploadFields' | 'storeFileID'>;
