import { DEFAULT_WIRE_PROFILE, type WireProfileNames } from '../generated/contract.gen.ts';

/**
 * The header, form field and JSON field names that a deployment may replace with its own (D1). The names of
 * headers and form fields are case-insensitive. The name of the JSON field `storeFileID` is case-sensitive.
 *
 * @example
 * import profile from './acme.json' with { type: 'json' };
 * createStorageRouter(handlers, { security, wireProfile: profile });
 */
export interface WireProfile extends WireProfileNames {}

/** The contract's vendor-neutral names, which are the default. */
export const defaultWireProfile: WireProfile = DEFAULT_WIRE_PROFILE;
