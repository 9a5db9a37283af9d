import { limits, makeOpaque } from '../choices.ts';

export interface Grant {
  /** The cloud path, as requested. */
  path: string;
  authorization: string;
  token: string;
  storeFileID: string;
  expires: number;
}

/** Upload grants, each for one path and one upload. */
export interface Grants {
  /** Issues a grant, and the path and query of the upload target, which "go verbatim" (D2). */
  give(path: string): Grant & { target: string };
  find(target: string): Grant | undefined;
  /** A grant can be used only once. */
  end(target: string): void;
}

export function createGrants(): Grants {
  const grants = new Map<string, Grant>();
  return {
    give(path) {
      const grant = {
        path,
        authorization: `v=2&sig=${makeOpaque('')}; for "upload"`,
        token: makeOpaque('t/+='),
        storeFileID: makeOpaque('meta '),
        expires: Date.now() + limits.grantSeconds * 1000,
      };
      const target = `/${makeOpaque('in/')}?ticket=${makeOpaque('%2F')}&part`;
      grants.set(target, grant);
      return { ...grant, target };
    },
    find(target) {
      const grant = grants.get(target);
      return grant && grant.expires > Date.now() ? grant : undefined;
    },
    end: (target) => grants.delete(target),
  };
}

/** Temporary links to the file at a path. */
export interface Links {
  /** Returns path and query of a link that is valid for this many seconds, and at most one more. */
  give(path: string, seconds?: number): string;
  /** Returns the path of the file, or why the link does not work. */
  find(target: string): { path: string } | 'unknown' | 'expired';
}

/** A link contains its file name unencoded, so callers have to encode it once (D23). */
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
