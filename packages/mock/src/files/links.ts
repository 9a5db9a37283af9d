import { SESSION_PARAMETER } from '../session/session-name.ts';
import { isSame, type Sign } from './sign.ts';

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
