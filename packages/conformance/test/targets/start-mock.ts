import { createMock, GatewayError } from '@berth/mock';
import { startFixture } from '../../fixture/server.mjs';
import type { Target, TargetOptions } from './start-reference.ts';

export async function startMock({ wireProfile, fixtureUrl }: TargetOptions = {}): Promise<Target> {
  const fixture = await startFixture({ port: 0 });
  const mock = await createMock({
    credentials: 'strict',
    ...(wireProfile && { wireProfile }),
    services: {
      conformance: fixtureUrl ?? fixture.url,
      forbidden() {
        throw new GatewayError('SERVICE_FORBIDDEN');
      },
    },
  });
  const other = await createMock({ credentials: 'strict', env: 'other' });
  const { token, id, secret } = await mock.credentials();
  return {
    options: {
      gatewayUrl: mock.gatewayUrl,
      storageUrl: mock.storageUrl,
      gatewayToken: token,
      otherEnvToken: (await other.credentials()).token,
      tc3SecretId: id,
      tc3SecretKey: secret,
      forbiddenService: 'forbidden',
      wireProfile,
      timeout: 60,
    },
    async close() {
      for (const server of [mock, other, fixture]) await server.close();
    },
  };
}
