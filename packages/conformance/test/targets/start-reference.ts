import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ConfigInput, createServer } from '@berth/server';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { startFixture } from '../../fixture/server.mjs';
import type { ConformanceOptions } from '../../src/index.ts';

/** A correct deployment with the fixture service behind it. */
export interface Target {
  urls?: string[];
  /** Everything that a check needs, so that no rule is skipped, or disabled without a reason. */
  options: ConformanceOptions & { gatewayUrl: string; storageUrl: string };
  close(): Promise<void>;
}

export interface TargetOptions {
  publicUrl?: string;
  wireProfile?: ConformanceOptions['wireProfile'];
  /** A service to call instead of the fixture service. */
  fixtureUrl?: string;
  /** Leave out the second environment; the gateway then accepts any loopback host (D12). */
  isAlone?: boolean;
}

interface ReferenceOptions extends TargetOptions {
  /** Where files are stored. Default: a folder of each server. */
  store?: ConfigInput['store'];
  redis?: ConfigInput['redis'];
  /** How many servers to start, which share the store. Default: 1. */
  replicas?: number;
}

const ENV = 'dev';
const OTHER_ENV = 'other';
const KEY_PAIR = { id: 'reference', secret: 'secret of the key pair of the reference server' };

/** Starts the reference server on free ports, with its file driver and two environments. */
export async function startReference({
  fixtureUrl,
  isAlone,
  replicas = 1,
  store,
  ...config
}: ReferenceOptions = {}): Promise<Target> {
  const folder = await mkdtempDisposable(join(tmpdir(), 'berth-reference-'));
  const fixture = fixtureUrl === undefined ? await startFixture({ port: 0 }) : undefined;
  const endpoints = [fixtureUrl ?? fixture?.url ?? ''];
  const { publicKey, privateKey } = await generateKeyPair('ES256');
  const jwks = { keys: [{ ...(await exportJWK(publicKey)), alg: 'ES256', kid: 'reference' }] };
  const environment = {
    tokens: { jwks },
    credentials: [KEY_PAIR],
    services: { conformance: { endpoints }, forbidden: { endpoints, state: 'forbidden' as const } },
  };
  const others = isAlone ? {} : { [OTHER_ENV]: { ...environment, credentials: [] } };
  const toServer = () =>
    createServer({
      ...config,
      listen: { port: 0 },
      admin: { port: 0 },
      log: { level: 'silent' },
      store: store ?? { driver: 'file', root: folder.path },
      keys: [{ secret: 'a key that signs the links and grants of a test' }],
      environments: { [ENV]: environment, ...others },
    });
  const servers = await Promise.all(Array.from({ length: replicas }, toServer));
  await Promise.all(servers.map((server) => server.listen()));
  const urls = servers.map(({ url }) => url);
  const [url = ''] = urls;
  const mint = (audience: string, expires: string | number) =>
    new SignJWT({ sub: 'conformance' })
      .setProtectedHeader({ alg: 'ES256', kid: 'reference' })
      .setAudience(audience)
      .setExpirationTime(expires)
      .sign(privateKey);
  return {
    urls,
    options: {
      gatewayUrl: url,
      gatewayHost: `${ENV}.gateway.example`,
      storageUrl: url,
      env: ENV,
      gatewayToken: await mint(ENV, '1h'),
      otherEnvToken: await mint(OTHER_ENV, '1h'),
      expiredToken: await mint(ENV, Math.floor(Date.now() / 1000) - 3600),
      tc3SecretId: KEY_PAIR.id,
      tc3SecretKey: KEY_PAIR.secret,
      forbiddenService: 'forbidden',
      wireProfile: config.wireProfile,
      // A busy machine may need longer than the default.
      timeout: 60,
    },
    async close() {
      await Promise.all(servers.map((server) => server.close()));
      await fixture?.close();
      await folder.remove();
    },
  };
}
