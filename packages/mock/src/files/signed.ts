import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { SESSION_PARAMETER } from '../util/session-name.ts';

/** Signs a list of values, in hex. */
type Sign = (values: readonly (string | number)[]) => string;

/**
 * HMAC-SHA256 over lists of values.
 *
 * @param session its grants and links are those of no other
 */
export function createSign(secret: Buffer, session: string): Sign {
  return (values) =>
    createHmac('sha256', secret)
      .update(JSON.stringify([session, ...values]))
      .digest('hex');
}

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

/** Where the links of the mock begin. */
export const LINK_PREFIX = '/files/';

type LinkVerdict = { key: string } | 'expired' | 'mismatch';

/** Issues and checks download links. A link proves itself by its signature, so none is kept. */
export interface Links {
  /** Path and query of a link that works for so many seconds. */
  issue(key: string, seconds: number): string;
  check(path: string, query: string | undefined): LinkVerdict;
}

/**
 * @param sign signs for one session
 * @param session is named in the links, for whoever follows one sends no header of the mock
 * @param now the session's clock, in milliseconds since the epoch
 */
export function createLinks(sign: Sign, session: string, now: () => number): Links {
  const suffix = session === '' ? '' : `&${SESSION_PARAMETER}=${encodeURIComponent(session)}`;
  return {
    issue(key, seconds) {
      const expires = now() + seconds * 1000;
      const signature = sign(['link', key, expires]);
      return `${toLinkPath(key)}?expires=${expires}&sign=${signature}${suffix}`;
    },
    check(path, query) {
      const search = new URLSearchParams(query);
      const expires = Number(search.get('expires'));
      const key = decode(path.slice(LINK_PREFIX.length));
      if (key === undefined || !isSame(sign(['link', key, expires]), search.get('sign') ?? '')) {
        return 'mismatch';
      }
      return now() < expires ? { key } : 'expired';
    },
  };
}

function decode(path: string): string | undefined {
  try {
    return decodeURIComponent(path);
  } catch {
    return undefined;
  }
}

/** Compares two signatures in constant time. */
export function isSame(expected: string, given: string): boolean {
  const [a, b] = [Buffer.from(expected), Buffer.from(given)];
  return a.length === b.length && timingSafeEqual(a, b);
}

/** Path of a file on this server. D23: "`tempFileURL` is percent-encoded by ours". */
export function toLinkPath(key: string): string {
  return LINK_PREFIX + key.split('/').map(encodeURIComponent).join('/');
}
