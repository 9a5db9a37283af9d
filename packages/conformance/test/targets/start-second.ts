import { listen } from '../../../../scripts/testing/listen.ts';
import { startFixture } from '../../fixture/server.mjs';
import { toRefusal } from '../mutants/hooks/gateway.ts';
import type { Hooks } from '../proxy/messages.ts';
import { startProxy } from '../proxy/start-proxy.ts';
import { makeOpaque, names } from '../second-server/common.ts';
import { createGateway } from '../second-server/gateway.ts';
import { createObjectServer, Objects } from '../second-server/objects.ts';
import { createStorageApi } from '../second-server/storage.ts';

const FORBIDDEN = 'vault';

export const toFlag = (name: string) =>
  `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;

/** Starts the second server, which is correct, with the fixture service behind it. */
export async function startSecond(env = 'stage') {
  const fixture = await startFixture({ port: 0 });
  const expires = Date.now() + 7_200_000;
  const gatewayToken = makeOpaque('tk.');
  const otherEnvToken = makeOpaque('tk.');
  const expiredToken = makeOpaque('tk.');
  const tokens = {
    [gatewayToken]: { env, expires },
    [otherEnvToken]: { env: `${env}-2`, expires },
    [expiredToken]: { env, expires: Date.now() - 1000 },
  };
  const tc3 = { secretId: makeOpaque('ID'), secretKey: makeOpaque('KEY'), service: 'runs' };
  const services = { conformance: fixture.url };
  const gateway = await listen(createGateway({ env, services, forbidden: FORBIDDEN, tokens, tc3 }));
  const objects = new Objects();
  const { url: objectsUrl, close: closeObjects } = await listen(createObjectServer(objects));
  const key = { [names.authorization]: makeOpaque('key '), [names.sessionToken]: makeOpaque('s:') };
  const storage = await listen(createStorageApi({ env, key, objects, objectsUrl }));
  const access = {
    gatewayUrl: gateway.url,
    /** The gateway accepts no other name, including loopback. */
    gatewayHost: `${env}.second.test`,
    storageUrl: storage.url,
    env,
    gatewayToken,
    otherEnvToken,
    expiredToken,
    tc3SecretId: tc3.secretId,
    tc3SecretKey: tc3.secretKey,
    tc3Service: tc3.service,
    forbiddenService: FORBIDDEN,
  };
  const storageHeaders = { ...key, [names.timestamp]: String(Math.floor(Date.now() / 1000)) };
  const flags = { ...access, sequences: '5', timeout: '60' };
  const headers = Object.entries(storageHeaders).map(([name, value]) => `${name}: ${value}`);
  const close = async () => {
    await Promise.all([gateway.close(), storage.close(), closeObjects(), fixture.close()]);
  };
  return {
    /** Paths of the files that are currently stored. */
    listFiles: () => [...objects.contents.keys()],
    /** How often a file was written or removed. */
    countWrites: () => objects.writes,
    /** Complete, with what makes runs short and repeatable, and a timeout that suits a busy machine. */
    options: { ...access, storageHeaders, timeout: 60, seed: 1, sequences: 5 },
    /** The same as `options`, for the command line. */
    args: [
      ...Object.entries(flags).flatMap(([name, value]) => [toFlag(name), value]),
      ...headers.flatMap((header) => ['--storage-header', header]),
    ],
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** Puts one proxy before each of the two APIs; uploads and downloads go to the server directly. */
export async function startFronted(hooks: Hooks = {}, tls?: { key: string; cert: string }) {
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
