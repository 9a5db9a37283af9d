import { createHash } from 'node:crypto';
import { text } from 'node:stream/consumers';
import { createGatewayClient, createStorageClient, tc3, tc3Storage } from '@berth/client';
import { afterEach, expect, test, vi } from 'vitest';
import { Cli } from './support/cli.ts';
import { startService } from './support/hosted-service.ts';
import { makeFolder } from './support/start-server.ts';

const PAIR = { secretId: 'ci', secretKey: 'a secret of the key pair' };
const HOUR = 3_600_000;

afterEach(() => {
  vi.useRealTimers();
});

/** A server in a separate process with a correct clock, and a client with a wrong one. */
async function start(off: number) {
  const service = await startService(async (request, response) => {
    const body = await text(request);
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ url: request.url, body, md5: md5(body) }));
  });
  const config = {
    listen: { port: 0 },
    admin: { port: 0 },
    store: { driver: 'file', root: 'files' },
    keys: [{ secret: 'a key that signs links and grants' }],
    environments: {
      dev: {
        credentials: [{ id: PAIR.secretId, secret: PAIR.secretKey }],
        services: { hello: { endpoints: [service] } },
      },
    },
  };
  const folder = await makeFolder({ 'berth.yaml': JSON.stringify(config) });
  const cli = new Cli(folder, ['--config', 'berth.yaml']);
  const { url } = await cli.listening();
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + off });
  return url;
}

const md5 = (content: string) => createHash('md5').update(content).digest('hex');

test.each([0, HOUR, -HOUR])('signed calls succeed with a clock that is %i ms off', async (off) => {
  const url = await start(off);
  const gateway = createGatewayClient({ baseUrl: url, auth: tc3(PAIR) });
  const hello = gateway.service('hello');
  expect(await hello.get('a%2Fb//c?x=%20&&y=%E4%B8%AD')).toMatchObject({
    url: '/a%2Fb//c?x=%20&&y=%E4%B8%AD',
  });
  for (const body of ['{"msg":"你好"}', new Blob(['bytes']), new URLSearchParams({ a: '1 中' })]) {
    const sent = typeof body === 'string' ? body : await new Response(body).text();
    expect(await hello.post('', body)).toMatchObject({ body: sent });
  }
  await expect(hello.post('', new FormData())).rejects.toThrow('pass a string, bytes or a Blob');

  const storage = createStorageClient({
    baseUrl: url,
    envId: 'dev',
    credentials: tc3Storage(PAIR),
  });
  const { fileID } = await storage.upload('a.txt', 'content');
  expect(await (await storage.download(fileID)).text()).toBe('content');
});
