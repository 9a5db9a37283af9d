import { startFixture } from '../../fixture/server.mjs';
import { toRefusal } from '../mutants/hooks/gateway.ts';
import type { Hooks } from '../proxy/messages.ts';
import { type MutatingProxy, startProxy } from '../proxy/start-proxy.ts';
import { type SecondServer, startSecondServer } from '../second-server/start-second-server.ts';
import type { Target } from './start-reference.ts';

/** The second server, which is correct, with the fixture service behind it. */
export interface Second extends Target, Pick<SecondServer, 'listFiles' | 'countWrites'> {
  /** Complete, with what makes runs short and repeatable, and a timeout that suits a busy machine. */
  options: SecondServer['access'] & Target['options'];
  /** The same as `options`, for the command line. */
  args: string[];
  [Symbol.asyncDispose](): Promise<void>;
}

export async function startSecond(): Promise<Second> {
  const fixture = await startFixture({ port: 0 });
  const server = await startSecondServer({ conformance: fixture.url });
  const { access, listFiles, countWrites } = server;
  const { storageHeaders, ...values } = access;
  const flags = { ...values, sequences: '5', timeout: '60000' };
  const toFlag = (name: string) => `--${name.replace(/[A-Z]/g, (one) => `-${one.toLowerCase()}`)}`;
  const headers = Object.entries(storageHeaders).map(([name, value]) => `${name}: ${value}`);
  const close = async () => {
    await server.close();
    await fixture.close();
  };
  return {
    listFiles,
    countWrites,
    options: { ...access, timeout: 60_000, seed: 1, sequences: 5 },
    args: [
      ...Object.entries(flags).flatMap(([name, value]) => [toFlag(name), value]),
      ...headers.flatMap((header) => ['--storage-header', header]),
    ],
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** Puts one proxy before each of the two APIs; uploads and downloads go to the server directly. */
export async function startFronted(
  hooks: Hooks = {},
  tls?: { key: string; cert: string },
): Promise<Second & { gateway: MutatingProxy; storage: MutatingProxy }> {
  const second = await startSecond();
  const gateway = await startProxy(second.options.gatewayUrl, hooks, tls);
  const storage = await startProxy(second.options.storageUrl, hooks, tls);
  return {
    ...second,
    gateway,
    storage,
    options: { ...second.options, gatewayUrl: gateway.url, storageUrl: storage.url },
    args: [...second.args, '--gateway-url', gateway.url, '--storage-url', storage.url],
    async [Symbol.asyncDispose]() {
      for (const { close } of [gateway, storage, second]) await close();
    },
  };
}

/** Responds with 410 to calls of a missing service: GW-ERROR-NOT-FOUND fails, and the other rules pass. */
export const startBroken = () =>
  startFronted({
    request: ({ service }) =>
      service?.startsWith('berth-') ? toRefusal(410, 'SERVICE_NOT_FOUND') : undefined,
  });
