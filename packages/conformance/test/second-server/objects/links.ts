import { limits } from '../limits.ts';
import { makeOpaque } from '../make-ids.ts';

/** Temporary links to the file at a path. */
export interface Links {
  /** Path and query of a link that lives for that many seconds, and at most one more. */
  give(path: string, seconds?: number): string;
  /** The path of the file, or why the link does not work. */
  find(target: string): { path: string } | 'unknown' | 'expired';
}

export function createLinks(): Links {
  const links = new Map<string, { path: string; last: number }>();
  const now = () => Math.floor(Date.now() / 1000);
  return {
    give(path, seconds = limits.linkSeconds) {
      const target = `/?t=${makeOpaque('')}`;
      const lifetime = Math.min(Math.ceil(seconds), limits.longestLinkSeconds);
      links.set(target, { path, last: now() + lifetime });
      return target;
    },
    find(target) {
      const link = links.get(target);
      if (!link) return 'unknown';
      return now() > link.last ? 'expired' : { path: link.path };
    },
  };
}
