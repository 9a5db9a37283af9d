import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { ConfigInput } from '../../../src/index.ts';
import { startService } from '../../server/support/hosted-service.ts';
import { makeFolder, serving, startServer } from '../../server/support/start-server.ts';
import { createStorageClient } from './storage-client.ts';

export type Deployment = Awaited<ReturnType<typeof startDeployment>>;

const SECRET = 'hush-hush-hush-hush';
const PAIR = { id: 'dev-id', secret: 'the-secret-of-dev' };

/** Starts a server with a service, and a storage client, for a test. A file next to the store must not be reachable. */
export async function startDeployment(change: Partial<ConfigInput> = {}) {
  /** Targets of the requests to the service. */
  const seen: string[] = [];
  const hello = await startService((request, response) => {
    seen.push(request.url ?? '');
    request.resume().on('end', () => response.end('hello'));
  });
  const folder = await makeFolder({ secret: SECRET, 'store/secret': SECRET });
  const store = { driver: 'file' as const, root: join(folder, 'store') };
  const environment = { ...serving(hello), credentials: [PAIR] };
  const started = await startServer({ store, ...change }, environment);
  const { root } = started.config.store as { root: string };
  return {
    ...started,
    root,
    seen,
    dev: createStorageClient(started.url, PAIR),
    /** Names of all files below the folder of the store. */
    async disk(): Promise<string[]> {
      const entries = await readdir(root, { recursive: true, withFileTypes: true });
      return entries
        .filter((entry) => entry.isFile() && !entry.parentPath.endsWith('/owners'))
        .map(({ name }) => name);
    },
  };
}
