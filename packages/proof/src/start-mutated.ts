import { request as requestHttp } from 'node:http';
import type { ConformanceOptions } from '@berth/conformance';
import type { Mutant, MutantContext } from './mutants/mutant.ts';
import { MutatedResponse, toHeaders } from './proxy/messages.ts';
import { startMutatingProxy } from './proxy/start-mutating-proxy.ts';
import { signStorageHeaders } from './sign-storage-headers.ts';
import { startReference } from './start-reference.ts';

/** A fixed seed, because only a few of the generated requests reveal some faults. */
const SEED = 1;

/** The reference server behind a proxy whose fault can be changed. */
export interface Mutated {
  options: ConformanceOptions;
  /** Replaces the current mutant; `undefined` restores the correct server. */
  use(mutant: Pick<Mutant, 'create'> | undefined): void;
  close(): Promise<void>;
}

export async function startMutated(): Promise<Mutated> {
  const proxy = await startMutatingProxy();
  const reference = await startReference({ publicUrl: proxy.url });
  const { options } = reference;
  const context = createContext(reference.url, proxy.url, options);
  proxy.setUp(reference.url, {});
  return {
    options: { ...options, gatewayUrl: proxy.url, storageUrl: proxy.url, seed: SEED },
    use: (mutant) => proxy.setUp(reference.url, mutant?.create(context) ?? {}),
    async close() {
      await proxy.close();
      await reference.close();
    },
  };
}

function createContext(
  serverUrl: string,
  publicUrl: string,
  { env = '', gatewayToken = '', otherEnvToken = '', tc3 }: ConformanceOptions,
): MutantContext {
  const keyPair = { id: tc3?.secretId ?? '', secret: tc3?.secretKey ?? '' };
  const storageHeaders = () => signStorageHeaders(keyPair);
  const call: MutantContext['call'] = (given) => callServer(serverUrl, given);
  return {
    ...{ serverUrl, publicUrl, env, keyPair, storageHeaders, call },
    authorization: `Bearer ${gatewayToken}`,
    otherAuthorization: `Bearer ${otherEnvToken}`,
    async storage(operation, fields) {
      const { json } = await call({
        method: 'POST',
        target: `/api/v2/envs/${env}/storages:${operation}`,
        headers: { ...storageHeaders(), 'Content-Type': 'application/json' },
        body: JSON.stringify(fields),
      });
      return json?.body?.data;
    },
  };
}

function callServer(
  serverUrl: string,
  { method, target, headers, body = '' }: Parameters<MutantContext['call']>[0],
): Promise<MutatedResponse> {
  const { hostname, port } = new URL(serverUrl);
  const { promise, resolve, reject } = Promise.withResolvers<MutatedResponse>();
  const request = requestHttp(
    { hostname, port, method, path: target, headers, agent: false },
    async (response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of response) chunks.push(chunk);
      resolve(
        new MutatedResponse(response.statusCode ?? 0, toHeaders(response), Buffer.concat(chunks)),
      );
    },
  );
  request.once('error', reject).end(body);
  return promise;
}
