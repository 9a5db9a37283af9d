import type { ConformanceOptions } from '../../src/index.ts';
import type { Mutant, MutantContext } from '../mutants/mutant.ts';
import { createFiles } from '../mutants/support/uploads.ts';
import { Headers, MutatedRequest, type MutatedResponse, toResponse } from '../proxy/messages.ts';
import { forward, startMutatingProxy, type ToServer } from '../proxy/start-mutating-proxy.ts';
import { signStorageHeaders } from './sign-storage-headers.ts';
import { startReference } from './start-reference.ts';

/** A fixed seed, because only a few of the generated requests reveal some faults. */
const SEED = 1;
/** Fewer than usual: many tests run all rules, and others are about sequences. */
const SEQUENCES = 8;

/** The deployment that the proxy forwards requests to. */
export interface Deployment {
  /** Complete, except for the addresses. */
  options: ConformanceOptions;
  toServer: ToServer;
  close(): Promise<void>;
}

/** A correct server behind a proxy whose fault can be changed. */
export interface Mutated {
  options: ConformanceOptions;
  /** Replaces the current mutant; `undefined` restores the correct server. */
  use(mutant: Pick<Mutant, 'create'> | undefined): void;
  close(): Promise<void>;
}

/**
 * Starts a server behind a proxy that injects faults.
 *
 * @param start starts the server and is called with the proxy's address. Default: starts the reference server
 */
export async function startMutated(
  start: (publicUrl: string) => Promise<Deployment> = startReferenceBehind,
): Promise<Mutated> {
  const proxy = await startMutatingProxy();
  const { url } = proxy;
  const { options, toServer, close } = await start(url);
  const context = createContext(toServer, url, options);
  proxy.setUp(toServer, {});
  return {
    options: { ...options, gatewayUrl: url, storageUrl: url, seed: SEED, sequences: SEQUENCES },
    use: (mutant) => proxy.setUp(toServer, mutant?.create(context) ?? {}),
    async close() {
      await proxy.close();
      await close();
    },
  };
}

async function startReferenceBehind(publicUrl: string): Promise<Deployment> {
  const { url, options, close } = await startReference({ publicUrl });
  return { options, toServer: () => url, close };
}

function createContext(
  toServer: ToServer,
  publicUrl: string,
  { env = '', gatewayToken = '', otherEnvToken = '', ...more }: ConformanceOptions,
): MutantContext {
  const keyPair = { id: more.tc3?.secretId ?? '', secret: more.tc3?.secretKey ?? '' };
  const storageHeaders = () => more.storageHeaders ?? signStorageHeaders(keyPair);
  const call: MutantContext['call'] = (given) => callServer(toServer(given.target), given);
  const storage: MutantContext['storage'] = async (operation, fields) => {
    const { json } = await call({
      method: 'POST',
      target: `/api/v2/envs/${env}/storages:${operation}`,
      headers: { ...storageHeaders(), 'Content-Type': 'application/json' },
      body: JSON.stringify(fields),
    });
    return json?.body?.data;
  };
  return {
    ...{ toServer, publicUrl, env, keyPair, storageHeaders, call, storage },
    authorization: `Bearer ${gatewayToken}`,
    otherAuthorization: `Bearer ${otherEnvToken}`,
    ...createFiles({ call, storage }),
  };
}

async function callServer(
  server: string,
  { method, target, headers, body = '' }: Parameters<MutantContext['call']>[0],
): Promise<MutatedResponse> {
  const list = new Headers(Object.entries({ Host: new URL(server).host, ...headers }));
  const request = new MutatedRequest(method, target, list, Buffer.from(body));
  return toResponse(await forward(server, request));
}
