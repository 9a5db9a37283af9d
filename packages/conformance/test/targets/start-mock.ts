import { createMock, GatewayError } from '@berth/mock';
import { startFixture } from '../../fixture/server.mjs';
import type { ConformanceOptions } from '../../src/index.ts';
import type { Deployment } from './start-mutated.ts';

/** Starts the mock with strict authentication, and the fixture service behind it. */
export async function startMock({
  wireProfile,
}: Pick<ConformanceOptions, 'wireProfile'> = {}): Promise<Deployment> {
  const fixture = await startFixture({ port: 0 });
  const mock = await createMock({
    credentials: 'strict',
    ...(wireProfile ? { wireProfile } : {}),
    services: {
      conformance: fixture.url,
      forbidden: forbid,
    },
  });
  const other = await createMock({ credentials: 'strict', env: 'other' });
  const { token, id, secret } = await mock.credentials();
  const { token: otherEnvToken } = await other.credentials();
  return {
    options: {
      gatewayUrl: mock.gatewayUrl,
      storageUrl: mock.storageUrl,
      gatewayToken: token,
      otherEnvToken,
      tc3: { secretId: id, secretKey: secret },
      forbiddenService: 'forbidden',
      timeout: 60_000,
      ...(wireProfile ? { wireProfile } : {}),
    },
    toServer: () => mock.gatewayUrl,
    async close() {
      await mock.close();
      await other.close();
      await fixture.close();
    },
  };
}

function forbid(): never {
  throw new GatewayError('SERVICE_FORBIDDEN');
}
