import { DEFAULT_WIRE_PROFILE, type WireProfileNames } from '../generated/contract.gen.ts';

/**
 * Names on the wire that a deployment may replace with its own (D1). Header and form field names are
 * case-insensitive; `storeFileID` is a JSON field and is not.
 *
 * @example
 * import profile from './acme.json' with { type: 'json' };
 * createStorageRouter(handlers, { security, wireProfile: profile });
 */
export interface WireProfile extends WireProfileNames {}

/** The neutral names of the contract, used by default. */
export const defaultWireProfile: WireProfile = DEFAULT_WIRE_PROFILE;
