import { GatewayError, StorageError } from '@berth/server-stubs';
import { signature } from '../contract/defaults.ts';
import type { WireProfile } from '../contract/wire-profile.ts';
import type { Auth } from './auth.ts';

/** D16: the parts that the value of a signature always has. */
const SIGNATURE_PARTS = ['Credential', 'SignedHeaders', 'Signature', 'Timestamp'];

const CALLER = { id: 'mock' };

/**
 * Lets in who has credentials of the right form, whatever they say. D15: "No credentials, or bad ones:
 * 4xx with the error body. Each of the two schemes alone suffices."
 */
export function createPresentAuth(profile: WireProfile): Auth {
  const { authorization: header } = profile.storageHeaders;
  return {
    gateway: {
      bearerToken: (token) => (/^\S+$/.test(token) ? CALLER : undefined),
      signature(value) {
        const parts = value.split(/[\s,]+/).map((part) => part.split('=', 1)[0]);
        const missing = SIGNATURE_PARTS.find((name) => !parts.includes(name));
        if (missing === undefined) return CALLER;
        throw new GatewayError('INVALID_CREDENTIALS', {
          message: `The ${signature.algorithm} signature in the header Authorization has no ${missing}=….`,
        });
      },
    },
    storage: {
      // The session token may be absent (D17: it is "empty with permanent ones").
      credentials({ authorization }) {
        if (authorization !== '') return CALLER;
        const message = `The header ${header} is missing.`;
        throw new StorageError('SIGN_PARAM_INVALID', { message });
      },
    },
    verifyBody: () => undefined,
  };
}
