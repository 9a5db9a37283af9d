import defaults from '@berth/spec/defaults.json' with { type: 'json' };
import profile from '@berth/spec/wire-profiles/default.json' with { type: 'json' };
import { signStorage } from '../../src/credentials/sign.ts';
import { createFiles } from '../mutants/hooks/uploads.ts';
import type { Mutant, MutantContext } from '../mutants/mutant.ts';
import { MutatedRequest } from '../proxy/messages.ts';
import { callServer, startProxy } from '../proxy/start-proxy.ts';
import { startReference, type Target, type TargetOptions } from './start-reference.ts';

/** A fixed seed, because only a few of the generated requests reveal some faults. */
const SEED = 1;
/** Fewer than usual: many tests run all rules, and others are about sequences. */
const SEQUENCES = 8;

export interface Mutated extends Target {
  /** Replaces the current mutant; `undefined` restores the correct server. */
  use(mutant: Pick<Mutant, 'create'> | undefined): void;
}

/** Starts a server behind a proxy that injects faults. Default: the reference server. */
export async function startMutated(
  start: (options: TargetOptions) => Promise<Target> = startReference,
): Promise<Mutated> {
  const proxy = await startProxy();
  const { url: publicUrl } = proxy;
  const target = await start({ publicUrl });
  const context = createContext(target, publicUrl);
  proxy.server = target.options.gatewayUrl;
  const urls = { gatewayUrl: publicUrl, storageUrl: publicUrl };
  return {
    options: { ...target.options, ...urls, seed: SEED, sequences: SEQUENCES },
    use(mutant) {
      proxy.hooks = mutant?.create(context) ?? {};
    },
    async close() {
      await proxy.close();
      await target.close();
    },
  };
}

function createContext({ options }: Target, publicUrl: string): MutantContext {
  const {
    gatewayUrl: server,
    env = 'dev',
    gatewayToken,
    otherEnvToken,
    expiredToken,
    tc3SecretId: id = '',
    tc3SecretKey: secret = '',
  } = options;
  const keyPair = { id, secret };
  const storageHeaders = () => signStorageHeaders(keyPair);
  const call: MutantContext['call'] = ({ method, target, headers, body }) =>
    callServer(server, new MutatedRequest(method, target, headers, body));
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
    server,
    publicUrl,
    env,
    keyPair,
    storageHeaders,
    call,
    storage,
    authorization: `Bearer ${gatewayToken}`,
    otherAuthorization: `Bearer ${otherEnvToken}`,
    expiredAuthorization: `Bearer ${expiredToken}`,
    ...createFiles({ call, storage }),
  };
}

export function signStorageHeaders(pair: { id: string; secret: string }): Record<string, string> {
  const { service, storageSigningHost } = defaults.signature;
  const { authorization, sessionToken, timestamp } = profile.storageHeaders;
  const now = Math.floor(Date.now() / 1000);
  const keys = { secretId: pair.id, secretKey: pair.secret, service };
  return {
    [authorization]: signStorage(now, storageSigningHost, keys),
    [sessionToken]: '',
    [timestamp]: String(now),
  };
}
