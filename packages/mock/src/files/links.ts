import { randomBytes } from 'node:crypto';
import { decodeSegment } from '../routing/request-target.ts';
import { isSame, sign } from './sign.ts';

/** Where the links of the mock begin. */
export const LINK_PREFIX = '/files/';

type LinkVerdict = { key: string } | 'expired' | 'mismatch';

/** Issues and checks download links. A link proves itself by its signature, so none is kept. */
export interface Links {
  /** Path and query of a link that works for so many seconds. */
  issue(key: string, seconds: number): string;
  check(path: string, query: string | undefined): LinkVerdict;
}

/** Path of a file on this server. D23: "`tempFileURL` is percent-encoded by ours". */
export function toLinkPath(key: string): string {
  return LINK_PREFIX + key.split('/').map(encodeURIComponent).join('/');
}

/** @param now the clock, in milliseconds since the epoch */
export function createLinks(now: () => number = Date.now): Links {
  const secret = randomBytes(32);
  return {
    issue(key, seconds) {
      const expires = now() + seconds * 1000;
      return `${toLinkPath(key)}?expires=${expires}&sign=${sign(secret, [key, expires])}`;
    },
    check(path, query) {
      const search = new URLSearchParams(query);
      const expires = Number(search.get('expires'));
      const key = decodeSegment(path.slice(LINK_PREFIX.length));
      if (key === undefined || !isSame(sign(secret, [key, expires]), search.get('sign') ?? '')) {
        return 'mismatch';
      }
      return now() < expires ? { key } : 'expired';
    },
  };
}
