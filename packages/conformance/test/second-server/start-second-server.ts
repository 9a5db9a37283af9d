import { type Choices, farthest, makeOpaque, makeRequestIds, names } from './choices.ts';
import { createGateway } from './gateway.ts';
import { listen } from './http.ts';
import { createObjectServer, createObjects } from './objects.ts';
import { createStorageApi } from './storage.ts';
import type { KeyPair } from './verify-signature.ts';

export interface SecondServerOptions extends Partial<Choices> {
  /** Hosted services: name → `http` URL. What follows the name in a call is appended to it. */
  services: Record<string, string>;
  /** Names of services that nobody may call. Default: `['vault']`. */
  forbidden?: string[];
  /** The server's only environment. Default: `stage`. */
  env?: string;
  /** Address in upload URLs and links, for a proxy; that of the third listener by default. */
  publicObjectsUrl?: string;
}

export interface SecondServer {
  gatewayUrl: string;
  /** The `Host` that gateway calls need: the gateway accepts no other name, including loopback. */
  gatewayHost: string;
  storageUrl: string;
  /** Address of the upload target and the links. */
  objectsUrl: string;
  env: string;
  token: string;
  /** A token that is valid only in another environment. */
  otherEnvToken: string;
  /** An expired token for this environment. */
  expiredToken: string;
  tc3: KeyPair;
  /** Credential for storage calls, valid for two hours. */
  storageHeaders: Record<string, string>;
  forbiddenService: string;
  /** Paths of the files that are currently stored. */
  listFiles(): string[];
  /** How often a file was written or removed. */
  countWrites(): number;
  close(): Promise<void>;
}

/**
 * Starts a deployment that follows the contract, and differs from the reference server in everything that the
 * contract leaves open. See `README.md` for the differences.
 */
export async function startSecondServer(options: SecondServerOptions): Promise<SecondServer> {
  const { services, forbidden = ['vault'], env = 'stage', publicObjectsUrl, ...chosen } = options;
  const choices: Choices = { ...farthest, ...chosen };
  const [token, otherEnvToken, expiredToken] = [0, 1, 2].map(() => makeOpaque('tk.')) as [
    string,
    string,
    string,
  ];
  const expires = Date.now() + 7_200_000;
  const tc3 = { secretId: makeOpaque('ID'), secretKey: makeOpaque('KEY'), service: 'runs' };
  const key = { authorization: makeOpaque('opaque '), sessionToken: makeOpaque('s:') };
  const nextRequestId = makeRequestIds();

  const objects = createObjects();
  const objectServer = await listen(createObjectServer(objects, choices.failures));
  const objectsUrl = publicObjectsUrl ?? objectServer.url;
  const storage = await listen(
    createStorageApi({ env, key, choices, nextRequestId, objects, objectsUrl }),
  );
  const gateway = await listen(
    createGateway({
      env,
      services: new Map(Object.entries(services).map(([name, url]) => [name, new URL(url)])),
      forbidden: new Set(forbidden),
      tokens: new Map([
        [token, { env, expires }],
        [otherEnvToken, { env: `${env}-2`, expires }],
        [expiredToken, { env, expires: Date.now() - 1000 }],
      ]),
      keyPair: tc3,
      forms: choices.forms,
      nextRequestId,
    }),
  );
  return {
    gatewayUrl: gateway.url,
    gatewayHost: `${env}.second.test`,
    storageUrl: storage.url,
    objectsUrl: objectServer.url,
    env,
    token,
    otherEnvToken,
    expiredToken,
    tc3,
    storageHeaders: {
      [names.authorization]: key.authorization,
      [names.sessionToken]: key.sessionToken,
      [names.timestamp]: String(Math.floor(Date.now() / 1000)),
    },
    forbiddenService: forbidden[0] ?? '',
    listFiles: () => [...objects.contents.keys()],
    countWrites: objects.countWrites,
    async close() {
      await Promise.all([gateway.close(), storage.close(), objectServer.close()]);
    },
  };
}
