import type { Operation } from './contract/operations.ts';
import type { WireProfile } from './contract/wire-profile.ts';
import type { FileStore } from './files/file-store.ts';
import type { Grants } from './files/grants.ts';
import type { Links } from './files/links.ts';
import type { Oracle } from './oracle/create-oracle.ts';
import type { Router } from './routing/create-router.ts';

/** What the surfaces of one mock share. */
export interface Context {
  /** Identifier of the one environment that the mock serves. */
  env: string;
  /** Host that the mock was told to listen on; it is accepted as the gateway's host. */
  listenHost: string;
  profile: WireProfile;
  /** The hosted services that there are; undefined: any. */
  services: ReadonlySet<string> | undefined;
  operations: Operation[];
  router: Router;
  /** Prism, loaded at the first call that needs it. */
  oracle(): Promise<Oracle>;
  store: FileStore;
  grants: Grants;
  links: Links;
}
