import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { createDevKeys, mintToken } from '../../../src/auth/mint-token.ts';

import { type BerthServer, type ConfigInput, createServer } from '../../../src/index.ts';
import type { Line } from '../../server/support/cli.ts';
import { startService } from '../../server/support/hosted-service.ts';
import { makeFolder } from '../../server/support/start-server.ts';
import { StorageClient } from './storage-client.ts';

/** A request to a hosted service. */
interface Seen {
  readonly env: string;
  readonly target: string;
}

/** A server with the environments `dev` and `qa`, each with separate keys, services and callers. */
export interface Whole {
  readonly server: BerthServer;
  readonly url: string;
  readonly port: number;
  readonly adminUrl: string;
  readonly config: ConfigInput;
  readonly lines: Line[];
  /** The configuration as written. */
  readonly written: string[];
  readonly root: string;
  /** Requests to the hosted services. */
  readonly seen: Seen[];
  readonly dev: StorageClient;
  readonly qa: StorageClient;
  token(env: 'dev' | 'qa', claims?: { readonly env?: string }): Promise<string>;
  /** Names of all files below the folder of the store. */
  disk(): Promise<string[]>;
}

const keys = { dev: await createDevKeys(), qa: await createDevKeys() };

/** Starts one; it ends with the test. Next to its files is one that must not be reachable. */
export async function startWhole(change: Partial<ConfigInput> = {}): Promise<Whole> {
  const lines: Line[] = [];
  const written: string[] = [];
  const seen: Seen[] = [];
  const folder = await makeFolder({ secret: 'hush-hush' });
  const root =
    change.store?.driver === 'file' ? (change.store.root as string) : join(folder, 'store');
  const environmentOf = async (env: 'dev' | 'qa') => ({
    tokens: { jwks: { keys: keys[env].jwks.keys.map((key) => ({ ...key })) } },
    credentials: [{ id: `${env}-id`, secret: `the-secret-of-${env}` }],
    services: {
      hello: {
        endpoints: [
          await startService((request, response) => {
            seen.push({ env, target: request.url ?? '' });
            request.resume().on('end', () => response.end(env));
          }),
        ],
      },
    },
  });
  const config = {
    admin: { port: 0 },
    store: { driver: 'file', root },
    keys: [{ secret: 'a key that signs links and grants' }],
    environments: { dev: await environmentOf('dev'), qa: await environmentOf('qa') },
    ...change,
    listen: { port: 0, shutdownSeconds: 1, ...change.listen },
  } as ConfigInput;
  const server = await createServer(config, {
    logTo: {
      write(line: string) {
        written.push(line);
        lines.push(JSON.parse(line));
      },
    },
  });
  await server.listen();
  onTestFinished(() => server.close());
  const { url, adminUrl } = server;
  await writeFile(join(root, 'secret'), 'hush-hush');
  const clientOf = (env: 'dev' | 'qa') =>
    new StorageClient(url, { id: `${env}-id`, secret: `the-secret-of-${env}` }, env);
  return {
    ...{ server, url, adminUrl, config, lines, written, root, seen },
    port: Number(new URL(url).port),
    dev: clientOf('dev'),
    qa: clientOf('qa'),
    token: (env, claims) =>
      mintToken({ env, key: keys[env].privateKey, subject: 'me', seconds: 3600, ...claims }),
    async disk() {
      const entries = await readdir(root, { recursive: true, withFileTypes: true });
      return entries.filter((entry) => entry.isFile()).map(({ name }) => name);
    },
  };
}
