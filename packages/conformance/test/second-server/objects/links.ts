import { limits } from '../limits.ts';
import { makeOpaque } from '../make-ids.ts';

/** Temporary links to the file at a path. */
export interface Links {
  /** Path and query of a link that lives for that many seconds, and at most one more. */
  give(path: string, seconds?: number): string;
  /** The path of the file, or why the link does not work. */
  find(target: string): { path: string } | 'unknown' | 'expired';
}

/** A link names its file unencoded, so callers have to encode it, once (D23). */
export function createLinks(): Links {
  const links = new Map<string, { path: string; last: number }>();
  const now = () => Math.floor(Date.now() / 1000);
  return {
    give(path, seconds = limits.linkSeconds) {
      const target = `/?t=${makeOpaque('')}&as=the file ${path.split('/').at(-1)}`;
      const lifetime = Math.min(Math.ceil(seconds), limits.longestLinkSeconds);
      links.set(target, { path, last: now() + lifetime });
      return target;
    },
    find(target) {
      const link = links.get(decode(target));
      if (!link) return 'unknown';
      return now() > link.last ? 'expired' : { path: link.path };
    },
  };
}

function decode(target: string): string {
  try {
    return decodeURIComponent(target);
  } catch {
    return target;
  }
}
