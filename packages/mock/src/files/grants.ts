import { randomBytes } from 'node:crypto';
import { isSame, type Sign } from './sign.ts';

/** What the form of one upload must carry. */
interface Grant {
  token: string;
  authorization: string;
  storeFileID: string;
}

type GrantVerdict = 'valid' | 'expired' | 'mismatch';

/** Issues and checks upload grants. A grant proves itself by its signature, so none is kept. */
export interface Grants {
  /** @param seconds lifetime; `Infinity` for one that never expires */
  issue(key: string, seconds: number): Grant;
  check(key: string, grant: Grant): GrantVerdict;
}

/**
 * @param sign signs for one session
 * @param now the session's clock, in milliseconds since the epoch
 */
export function createGrants(sign: Sign, now: () => number): Grants {
  const authorize = (key: string, token: string, storeFileID: string) =>
    `q-sign-algorithm=sha256&q-signature=${sign(['grant', key, token, storeFileID])}`;
  return {
    issue(key, seconds) {
      const token = `${randomBytes(8).toString('hex')}.${now() + seconds * 1000}`;
      const storeFileID = randomBytes(12).toString('base64url');
      return { token, storeFileID, authorization: authorize(key, token, storeFileID) };
    },
    // D27: "grant valid 900 s for that one key".
    check(key, { token, authorization, storeFileID }) {
      if (!isSame(authorize(key, token, storeFileID), authorization)) return 'mismatch';
      return now() < Number(token.split('.')[1]) ? 'valid' : 'expired';
    },
  };
}
