import { randomBytes } from 'node:crypto';
import { createSigner } from './create-signer.ts';

/** What an upload is granted for. */
interface GrantedUpload {
  readonly env: string;
  readonly bucket: string;
  /** Path of the file, without a leading slash. */
  readonly path: string;
  /** Id of the caller who asked for the grant. */
  readonly caller: string;
}

/** What the form of one upload must carry (D30). */
interface Grant {
  readonly token: string;
  readonly authorization: string;
  readonly storeFileID: string;
}

type GrantVerdict = GrantedUpload | 'expired' | 'mismatch';

/** Issues and checks upload grants. A grant proves itself by its signature, so none is kept. */
export interface Grants {
  /** @param seconds lifetime */
  issue(upload: GrantedUpload, seconds: number): Grant;
  /** @param path what the form names, without a leading slash */
  check(path: string, grant: Grant): GrantVerdict;
}

/**
 * What a token says, in this order; the time is in milliseconds since the epoch, and the nonce makes
 * each token another.
 */
type Claims = readonly [
  env: string,
  bucket: string,
  caller: string,
  expires: number,
  nonce: string,
];

/**
 * Makes the grants of a server; servers with the same keys know each other's.
 *
 * D27: "grant valid 900 s for that one key".
 *
 * @param keys the first signs, all verify
 * @param now the clock, in milliseconds since the epoch
 */
export function createGrants(keys: readonly Buffer[], now: () => number): Grants {
  const signer = createSigner('berth upload grant', keys);
  return {
    issue({ env, bucket, path, caller }, seconds) {
      const expires = now() + seconds * 1000;
      const claims: Claims = [env, bucket, caller, expires, toRandom()];
      const token = Buffer.from(JSON.stringify(claims)).toString('base64url');
      const storeFileID = toRandom();
      return { token, storeFileID, authorization: signer.sign([token, storeFileID, path]) };
    },
    check(path, { token, authorization, storeFileID }) {
      if (!signer.verify([token, storeFileID, path], authorization)) return 'mismatch';
      // Only a token that this very code wrote comes so far.
      const claims = JSON.parse(Buffer.from(token, 'base64url').toString()) as Claims;
      const [env, bucket, caller, expires] = claims;
      return now() < expires ? { env, bucket, path, caller } : 'expired';
    },
  };
}

function toRandom(): string {
  return randomBytes(18).toString('base64url');
}
