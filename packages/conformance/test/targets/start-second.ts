import { startFixture } from '../../fixture/server.mjs';
import type { ConformanceOptions } from '../../src/index.ts';
import type { Choices } from '../second-server/choices.ts';
import { type SecondServer, startSecondServer } from '../second-server/start-second-server.ts';
import { type Front, type FrontOptions, startFront } from '../support/start-front.ts';

/** The second server, which is correct, with the fixture service behind it. */
export interface Second {
  server: SecondServer;
  /** Its addresses and all credentials. */
  access: ConformanceOptions;
  /** The same with what makes runs short and repeatable, and a timeout that suits a busy machine. */
  options: ConformanceOptions;
  /** The same as `options`, for the command line. */
  args: string[];
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** Starts a deployment that follows the contract. */
export async function startSecond(choices: Partial<Choices> = {}): Promise<Second> {
  const fixture = await startFixture({ port: 0 });
  const server = await startSecondServer({ services: { conformance: fixture.url }, ...choices });
  const { gatewayUrl, gatewayHost, storageUrl, env, tc3, storageHeaders } = server;
  const { token, otherEnvToken, expiredToken, forbiddenService } = server;
  const close = async () => {
    await server.close();
    await fixture.close();
  };
  const access = {
    ...{ gatewayUrl, gatewayHost, storageUrl, env, tc3, storageHeaders, forbiddenService },
    ...{ gatewayToken: token, otherEnvToken, expiredToken },
  };
  const headers = Object.entries(storageHeaders).map(([name, value]) => `${name}: ${value}`);
  return {
    server,
    access,
    options: { ...access, timeout: 60_000, seed: 1, sequences: 5 },
    args: [
      ...['--gateway-url', gatewayUrl, '--gateway-host', gatewayHost, '--storage-url', storageUrl],
      ...['--env', env, '--gateway-token', token, '--forbidden-service', forbiddenService],
      ...['--other-env-token', otherEnvToken, '--expired-token', expiredToken],
      ...['--tc3-secret-id', tc3.secretId, '--tc3-secret-key', tc3.secretKey],
      ...['--tc3-service', tc3.service, '--sequences', '5', '--timeout', '60000'],
      ...headers.flatMap((header) => ['--storage-header', header]),
    ],
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** Puts one front before each of the two APIs; uploads and downloads go to the server directly. */
export async function startFronted(
  front: FrontOptions = {},
): Promise<Second & { gateway: Front; storage: Front }> {
  const second = await startSecond();
  const { gatewayUrl, storageUrl } = second.server;
  const gateway = await startFront(gatewayUrl, front);
  const storage = await startFront(storageUrl, front);
  return {
    ...{ ...second, gateway, storage },
    options: { ...second.options, gatewayUrl: gateway.url, storageUrl: storage.url },
    args: [...second.args, '--gateway-url', gateway.url, '--storage-url', storage.url],
    async [Symbol.asyncDispose]() {
      await Promise.all([gateway.close(), storage.close()]);
      await second.close();
    },
  };
}

/** Responds with 410 to calls of a missing service: GW-ERROR-NOT-FOUND fails, and the other rules pass. */
export function startBroken(): ReturnType<typeof startFronted> {
  const body = '{"code":"SERVICE_NOT_FOUND","message":"No.","requestId":"1"}';
  const response = [
    ...['HTTP/1.1 410 Gone', 'Content-Type: application/json', 'X-Request-Id: 1'],
    ...[`Content-Length: ${body.length}`, '', body],
  ].join('\r\n');
  return startFronted({
    decide: (_, head) =>
      /^(GET|POST) \/v1\/cloudrun\/berth-/.test(head)
        ? (socket) => void socket.end(response)
        : 'pass',
  });
}
