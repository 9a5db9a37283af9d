import { startFixture } from '../../fixture/server.mjs';
import type { Choices } from '../second-server/choices.ts';
import { type SecondServer, startSecondServer } from '../second-server/start-second-server.ts';

export interface Target {
  server: SecondServer;
  /** The command-line options for it, with all credentials. */
  args: string[];
  [Symbol.asyncDispose](): Promise<void>;
}

/** Starts a deployment that follows the contract, for runs of the command line. */
export async function startTarget(choices: Partial<Choices> = {}): Promise<Target> {
  const fixture = await startFixture({ port: 0 });
  const server = await startSecondServer({ services: { conformance: fixture.url }, ...choices });
  const { gatewayUrl, gatewayHost, storageUrl, env, tc3, storageHeaders } = server;
  const headers = Object.entries(storageHeaders).map(([name, value]) => `${name}: ${value}`);
  return {
    server,
    args: [
      ...['--gateway-url', gatewayUrl, '--gateway-host', gatewayHost, '--storage-url', storageUrl],
      ...['--env', env, '--gateway-token', server.token],
      ...['--other-env-token', server.otherEnvToken, '--expired-token', server.expiredToken],
      ...['--tc3-secret-id', tc3.secretId, '--tc3-secret-key', tc3.secretKey],
      ...['--tc3-service', String(tc3.service), '--forbidden-service', server.forbiddenService],
      // A busy machine may need longer than the default.
      ...['--runs', '5', '--timeout', '60000'],
      ...headers.flatMap((header) => ['--storage-header', header]),
    ],
    async [Symbol.asyncDispose]() {
      await server.close();
      await fixture.close();
    },
  };
}
