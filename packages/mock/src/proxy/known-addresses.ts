import { randomUUID } from 'node:crypto';
import { LINK_PREFIX } from '../files/links.ts';
import { SESSION_PARAMETER } from '../session/session-name.ts';
import { isHttp } from './targets.ts';

/** Addresses that are kept; the oldest are forgotten. */
const CAPACITY = 10_000;

/**
 * Query parameter that stands for the real address. Who knows it can do what the real one allows; the
 * log leaves out parameters of this name.
 */
const PARAMETER = 'sign';

/** The addresses that a deployment has handed out, each behind one of the mock. */
export interface KnownAddresses {
  /**
   * An address of the mock that leads to a real one; the given text where it is no address.
   *
   * @param origin under which the caller reaches the mock
   */
  toLocal(kind: 'upload' | 'link', real: string, origin: string, session: string): string;
  /** The real address behind the target of a request. */
  find(target: string): URL | undefined;
}

/**
 * D27: an upload is posted to the returned `url` as it is, and a signature covers a link as it is. So
 * nothing of a real address is changed: the mock remembers it, and hands out a name for it.
 */
export function createKnownAddresses(): KnownAddresses {
  const ids = new Map<string, string>();
  const urls = new Map<string, URL>();

  function idOf(url: URL): string {
    const known = ids.get(url.href);
    if (known !== undefined) return known;
    const id = randomUUID();
    ids.set(url.href, id);
    urls.set(id, url);
    const [oldest] = urls;
    if (urls.size > CAPACITY && oldest !== undefined) {
      const [oldId, { href }] = oldest;
      urls.delete(oldId);
      ids.delete(href);
    }
    return id;
  }

  return {
    toLocal(kind, real, origin, session) {
      const url = URL.canParse(real) ? new URL(real) : undefined;
      if (url === undefined || !isHttp(url)) return real;
      const path = kind === 'upload' ? '/' : LINK_PREFIX + url.pathname.slice(1);
      const suffix = session === '' ? '' : `&${SESSION_PARAMETER}=${encodeURIComponent(session)}`;
      return `${origin}${path}?${PARAMETER}=${idOf(url)}${suffix}`;
    },
    find(target) {
      const mark = target.indexOf('?');
      const id = mark < 0 ? null : new URLSearchParams(target.slice(mark)).get(PARAMETER);
      return id === null ? undefined : urls.get(id);
    },
  };
}
