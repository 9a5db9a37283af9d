import { DEFAULT_WIRE_PROFILE, type WireProfileNames } from '../generated/contract.gen.ts';

/**
 * The header, form field and JSON field names that a deployment may replace with its own (D1). Header and
 * form field names are case-insensitive, but the JSON field `storeFileID` is not.
 *
 * @example
 * import profile from './acme.json' with { type: 'json' };
 * createStorageRouter(handlers, { security, wireProfile: profile });
 */
export interface WireProfile extends WireProfileNames {}

/** The contract's vendor-neutral names, which are the default. */
export const defaultWireProfile: WireProfile = DEFAULT_WIRE_PROFILE;
