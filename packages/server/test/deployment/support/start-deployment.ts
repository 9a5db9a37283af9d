import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { StorageCredentials } from '@berth/client';
import { startFixture } from '@berth/conformance/fixture';
import { defaultWireProfile, type WireProfile } from '@berth/server-stubs';
import { createDevKeys, mintToken } from '../../../src/auth/mint-token.ts';
import { startHelloService } from '../../../src/cli/hello-service.ts';
import type { ConfigInput } from '../../../src/index.ts';
import { signStorageRequest } from '../../support/sign-request.ts';
import { startRoundRobin } from './round-robin.ts';
import { type ServerProcess, startProcess } from './start-process.ts';

/** Largest upload of a deployment: room for what a store takes in parts. */
export const UPLOAD_BYTES = 12 * 1024 * 1024;

export const KEY_PAIR = { id: 'deployment', secret: 'secret of the key pair' };

export interface DeploymentOptions {
  readonly processes: number;
  /** Default: a folder that the processes share. */
  readonly store?: ConfigInput['store'];
  readonly wireProfile?: WireProfile;
}

/**
 * Processes that serve one environment, `dev`, with the services `hello`, `closed`, `asleep` and
 * `conformance`.
 */
export interface Deployment {
  /** Where callers call: the balancer, or the only process. */
  readonly url: string;
  readonly processes: readonly ServerProcess[];
  readonly wireProfile: WireProfile;
  readonly token: string;
  /** A token of another environment. */
  readonly foreignToken: string;
  /** Credentials of a storage call that is made now. */
  credentials(): StorageCredentials & { readonly sessionToken: string };
  /** The same as headers. */
  storageHeaders(): Record<string, string>;
  close(): Promise<void>;
}

/**
 * Starts berth-server from one configuration file that all processes read. Several stand behind a round
 * robin and have its address as `publicUrl`; a single one goes by what its callers call it.
 */
export async function startDeployment({
  processes: count,
  store,
  wireProfile = defaultWireProfile,
}: DeploymentOptions): Promise<Deployment> {
  const folder = await mkdtemp(join(tmpdir(), 'berth-deployment-'));
  const { privateKey: key, jwks } = await createDevKeys();
  const hello = await startHelloService();
  const fixture = await startFixture({ port: 0 });
  const balancer = count === 1 ? undefined : await startRoundRobin();
  const endpoints = [hello.origin];
  const config: ConfigInput = {
    ...(balancer && { publicUrl: balancer.url }),
    wireProfile: './wire-profile.json',
    limits: { uploadBytes: UPLOAD_BYTES },
    store: store ?? { driver: 'file', root: './files' },
    keys: [{ file: './link.key' }],
    environments: {
      dev: {
        tokens: { jwks: './jwks.json' },
        credentials: [{ id: KEY_PAIR.id, secretFile: './secret' }],
        services: {
          hello: { endpoints },
          conformance: { endpoints: [fixture.url] },
          closed: { endpoints, callers: ['somebody else'] },
          asleep: { endpoints, state: 'not-ready' },
        },
      },
    },
  };
  const files = {
    'berth.yaml': JSON.stringify(config),
    'wire-profile.json': JSON.stringify(wireProfile),
    'link.key': 'a key that signs links and grants',
    'jwks.json': JSON.stringify(jwks),
    secret: `${KEY_PAIR.secret}\n`,
  };
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
  const close = async (processes: readonly ServerProcess[]) => {
    await balancer?.close();
    await Promise.all(processes.map((one) => one.close()));
    await hello.close();
    await fixture.close();
    await rm(folder, { recursive: true });
  };
  const starts = await Promise.allSettled(
    Array.from({ length: count }, () => startProcess(join(folder, 'berth.yaml'))),
  );
  const processes = starts.flatMap((start) => (start.status === 'fulfilled' ? [start.value] : []));
  const failed = starts.find(({ status }) => status === 'rejected');
  if (failed?.status === 'rejected') {
    await close(processes);
    throw failed.reason;
  }
  balancer?.route(processes.map(({ url }) => url));
  const mint = (env: string) => mintToken({ env, key, subject: 'me', seconds: 600 });
  const { authorization, sessionToken, timestamp } = wireProfile.storageHeaders;
  const storageHeaders = () =>
    signStorageRequest(KEY_PAIR, { timestamp: Math.floor(Date.now() / 1000), wireProfile });
  return {
    url: balancer?.url ?? (processes[0] as ServerProcess).url,
    processes,
    wireProfile,
    token: await mint('dev'),
    foreignToken: await mint('other'),
    storageHeaders,
    credentials() {
      const headers = storageHeaders();
      return {
        authorization: headers[authorization] as string,
        sessionToken: headers[sessionToken] as string,
        timestamp: headers[timestamp] as string,
      };
    },
    close: () => close(processes),
  };
}
