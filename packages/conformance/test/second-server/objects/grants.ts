import { limits } from '../limits.ts';
import { makeOpaque } from '../make-ids.ts';

export interface Grant {
  /** The cloud path, as it was asked for. */
  path: string;
  authorization: string;
  token: string;
  storeFileID: string;
  expires: number;
}

/** Upload grants, each for one path and one upload. */
export interface Grants {
  /** A new grant, and the path and query of the upload target, which "go verbatim" (D2). */
  give(path: string): Grant & { target: string };
  find(target: string): Grant | undefined;
  /** A grant that has done its work is no grant any more. */
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
