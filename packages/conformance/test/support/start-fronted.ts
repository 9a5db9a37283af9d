import { startFixture } from '../../fixture/server.mjs';
import type { ConformanceOptions } from '../../src/index.ts';
import { type SecondServer, startSecondServer } from '../second-server/start-second-server.ts';
import { type Front, type FrontOptions, startFront } from './start-front.ts';

/** The second server, which is correct, behind something that may not be. */
export interface Fronted {
  server: SecondServer;
  gateway: Front;
  storage: Front;
  /** Everything that the suite needs, with a timeout that suits a busy machine. */
  options: ConformanceOptions;
  [Symbol.asyncDispose](): Promise<void>;
}

/** Puts one front before each of the two APIs; uploads and downloads go to the server directly. */
export async function startFronted(front: FrontOptions = {}): Promise<Fronted> {
  const fixture = await startFixture({ port: 0 });
  const server = await startSecondServer({ services: { conformance: fixture.url } });
  const [gateway, storage] = await Promise.all([
    startFront(server.gatewayUrl, front),
    startFront(server.storageUrl, front),
  ]);
  const { gatewayHost, env, tc3, storageHeaders, forbiddenService } = server;
  const { token: gatewayToken, otherEnvToken, expiredToken } = server;
  return {
    ...{ server, gateway, storage },
    options: {
      ...{ gatewayUrl: gateway.url, storageUrl: storage.url },
      ...{ gatewayHost, env, tc3, storageHeaders, forbiddenService },
      ...{ gatewayToken, otherEnvToken, expiredToken },
      timeout: 60_000,
      // A failure of the suite must be the same each time.
      seed: 1,
      runs: 5,
    },
    async [Symbol.asyncDispose]() {
      await Promise.all([gateway.close(), storage.close(), server.close()]);
      await fixture.close();
    },
  };
}
