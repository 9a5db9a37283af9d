import { startFixture } from '../../fixture/server.mjs';
import type { ConformanceOptions } from '../../src/index.ts';
import { type SecondServer, startSecondServer } from '../second-server/start-second-server.ts';
import { type Front, type FrontOptions, startFront } from '../support/start-front.ts';

/** The second server, which is correct, with the fixture service behind it. */
export interface Second extends Pick<SecondServer, 'listFiles' | 'countWrites'> {
  /** Complete, with what makes runs short and repeatable, and a timeout that suits a busy machine. */
  options: SecondServer['access'] & ConformanceOptions;
  /** The same as `options`, for the command line. */
  args: string[];
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** Starts a deployment that follows the contract. */
export async function startSecond(): Promise<Second> {
  const fixture = await startFixture({ port: 0 });
  const server = await startSecondServer({ conformance: fixture.url });
  const { access, listFiles, countWrites } = server;
  const { tc3, storageHeaders, ...values } = access;
  const flags = {
    ...values,
    ...{ tc3SecretId: tc3.secretId, tc3SecretKey: tc3.secretKey, tc3Service: tc3.service },
    ...{ sequences: '5', timeout: '60000' },
  };
  const toFlag = (name: string) => `--${name.replace(/[A-Z]/g, (one) => `-${one.toLowerCase()}`)}`;
  const headers = Object.entries(storageHeaders).map(([name, value]) => `${name}: ${value}`);
  const close = async () => {
    await server.close();
    await fixture.close();
  };
  return {
    ...{ listFiles, countWrites },
    options: { ...access, timeout: 60_000, seed: 1, sequences: 5 },
    args: [
      ...Object.entries(flags).flatMap(([name, value]) => [toFlag(name), value]),
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
  const { gatewayUrl, storageUrl } = second.options;
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
