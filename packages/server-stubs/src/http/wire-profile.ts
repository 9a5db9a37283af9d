import { DEFAULT_WIRE_PROFILE } from '../generated/contract.gen.ts';

/**
 * Names on the wire that a deployment may replace by its own (D1). Header and form field names are
 * case-insensitive; `storeFileID` is a JSON field and is not.
 *
 * @example
 * import profile from './acme.json' with { type: 'json' };
 * createStorageRouter(handlers, { security, wireProfile: profile });
 */
export interface WireProfile {
  /** Name of the profile, for people. */
  readonly name?: string;
  /** The three headers of a storage call (D17). */
  readonly storageHeaders: {
    readonly authorization: string;
    readonly sessionToken: string;
    readonly timestamp: string;
  };
  /** The two form fields of an upload that carry a vendor's word. */
  readonly uploadFields: { readonly securityToken: string; readonly metaFileId: string };
  /** Field of the upload metadata that holds the ID in the object store. */
  readonly storeFileID: string;
  /** Header that carries the hosted service's own status (D10). */
  readonly gatewayHeaders: { readonly upstreamStatus: string };
}

/** The neutral names of the contract, in use where no other profile is given. */
export const defaultWireProfile: WireProfile = DEFAULT_WIRE_PROFILE;
