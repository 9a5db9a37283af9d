import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createDevKeys, mintToken } from '../../../src/auth/tokens.ts';
import type { ConfigInput } from '../../../src/index.ts';
import { startService } from '../../server/support/hosted-service.ts';
import { makeFolder, startServer } from '../../server/support/start-server.ts';
import { StorageClient } from './storage-client.ts';

export type Whole = Awaited<ReturnType<typeof startWhole>>;

const keys = { dev: await createDevKeys(), qa: await createDevKeys() };

/**
 * Starts a server with the environments `dev` and `qa`, each with separate keys, services and callers; it ends with the
 * test. Next to its files is one that must not be reachable.
 */
export async function startWhole(change: Partial<ConfigInput> = {}) {
  /** Requests to the hosted services. */
  const seen: { readonly env: string; readonly target: string }[] = [];
  const folder = await makeFolder({ secret: 'hush-hush-hush-hush' });
  const root =
    change.store?.driver === 'disk' ? (change.store.root as string) : join(folder, 'store');
  const environmentOf = async (env: 'dev' | 'qa') => {
    const hello = await startService((request, response) => {
      seen.push({ env, target: request.url ?? '' });
      request.resume().on('end', () => response.end(env));
    });
    return {
      tokens: { jwks: { keys: keys[env].jwks.keys.map((key) => ({ ...key })) } },
      credentials: [{ id: `${env}-id`, secret: `the-secret-of-${env}` }],
      services: { hello: { endpoints: [hello] } },
    };
  };
  const environments = { dev: await environmentOf('dev'), qa: await environmentOf('qa') };
  const store = { driver: 'disk' as const, root };
  const { token: _, ...started } = await startServer({ store, environments, ...change });
  const { url } = started;
  await writeFile(join(root, 'secret'), 'hush-hush-hush-hush');
  const clientOf = (env: 'dev' | 'qa') =>
    new StorageClient(url, { id: `${env}-id`, secret: `the-secret-of-${env}` }, env);
  return {
    ...started,
    root,
    seen,
    dev: clientOf('dev'),
    qa: clientOf('qa'),
    token: (env: 'dev' | 'qa', claims?: { readonly env?: string }) =>
      mintToken({ env, key: keys[env].privateKey, subject: 'me', seconds: 3600, ...claims }),
    /** Names of all files below the folder of the store. */
    async disk(): Promise<string[]> {
      const entries = await readdir(root, { recursive: true, withFileTypes: true });
      return entries
        .filter((entry) => entry.isFile() && !entry.parentPath.endsWith('/owners'))
        .map(({ name }) => name);
    },
  };
}
