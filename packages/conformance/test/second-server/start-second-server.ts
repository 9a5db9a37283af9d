import { listen } from '../../../../scripts/testing/listen.ts';
import { makeOpaque, names } from './common.ts';
import { createGateway } from './gateway.ts';
import { createObjectServer, Objects } from './objects.ts';
import { createStorageApi } from './storage.ts';

const ENV = 'stage';

const FORBIDDEN = 'vault';

export type SecondServer = Awaited<ReturnType<typeof startSecondServer>>;

/**
 * Starts a deployment that follows the contract, and differs from the reference server in everything that the
 * contract leaves open. See `README.md` for the differences.
 *
 * @param services hosted services: name → `http` URL. What follows the name in a call is appended to it
 */
export async function startSecondServer(services: Record<string, string>) {
  const expires = Date.now() + 7_200_000;
  const gatewayToken = makeOpaque('tk.');
  const otherEnvToken = makeOpaque('tk.');
  const expiredToken = makeOpaque('tk.');
  const tc3 = { secretId: makeOpaque('ID'), secretKey: makeOpaque('KEY'), service: 'runs' };
  const key = {
    [names.authorization]: makeOpaque('opaque '),
    [names.sessionToken]: makeOpaque('s:'),
  };

  const objects = new Objects();
  const objectServer = await listen(createObjectServer(objects));
  const objectsUrl = objectServer.url;
  const storage = await listen(createStorageApi({ env: ENV, key, objects, objectsUrl }));
  const tokens = {
    [gatewayToken]: { env: ENV, expires },
    [otherEnvToken]: { env: `${ENV}-2`, expires },
    [expiredToken]: { env: ENV, expires: Date.now() - 1000 },
  };
  const gateway = await listen(
    createGateway({ env: ENV, services, forbidden: FORBIDDEN, tokens, tc3 }),
  );
  return {
    /** Its addresses and all credentials, as options of the suite. */
    access: {
      gatewayUrl: gateway.url,
      /** The gateway accepts no other name, including loopback. */
      gatewayHost: `${ENV}.second.test`,
      storageUrl: storage.url,
      env: ENV,
      gatewayToken,
      otherEnvToken,
      expiredToken,
      tc3SecretId: tc3.secretId,
      tc3SecretKey: tc3.secretKey,
      tc3Service: tc3.service,
      storageHeaders: { ...key, [names.timestamp]: String(Math.floor(Date.now() / 1000)) },
      forbiddenService: FORBIDDEN,
    },
    /** Paths of the files that are currently stored. */
    listFiles: () => [...objects.contents.keys()],
    /** How often a file was written or removed. */
    countWrites: () => objects.writes,
    async close() {
      await Promise.all([gateway.close(), storage.close(), objectServer.close()]);
    },
  };
}
