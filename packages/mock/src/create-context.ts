import type { Context } from './context.ts';
import { type Documents, documents } from './contract/documents.ts';
import { listOperations } from './contract/operations.ts';
import { applyProfile } from './contract/wire-profile.ts';
import { createFileStore } from './files/file-store.ts';
import { createGrants } from './files/grants.ts';
import { createLinks } from './files/links.ts';
import type { ResolvedOptions } from './options.ts';
import type { Oracle } from './oracle/create-oracle.ts';
import { createRouter } from './routing/create-router.ts';

/** Builds what the surfaces of one mock share. */
export function createContext(options: ResolvedOptions): Context {
  const { env, host, services, maxStoreBytes, wireProfile } = options;
  const operations = listOperations(documents);
  let oracle: Promise<Oracle> | undefined;
  return {
    env,
    listenHost: host,
    profile: wireProfile,
    services: services && new Set(services),
    operations,
    router: createRouter(operations),
    oracle() {
      oracle ??= loadOracle(applyProfile(documents, wireProfile));
      return oracle;
    },
    store: createFileStore(maxStoreBytes),
    grants: createGrants(),
    links: createLinks(),
  };
}

/** Prism takes half a second to load, so it comes with the first call that needs it. */
async function loadOracle(documents: Documents): Promise<Oracle> {
  const { createOracle } = await import('./oracle/create-oracle.ts');
  return createOracle(documents);
}
