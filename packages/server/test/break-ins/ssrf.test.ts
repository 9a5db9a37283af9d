import { expect, test } from 'vitest';
import { startService } from '../server/support/hosted-service.ts';
import { serving, startServer } from '../server/support/start-server.ts';
import { sendRaw, statusesOf } from '../support/send-raw.ts';
import { startWhole } from './support/start-whole.ts';

/** Must never be called; represents the admin port, or the metadata of a cloud. */
async function startInternal() {
  const calls: string[] = [];
  const url = await startService((request, response) => {
    calls.push(`${request.headers.host} ${request.url}`);
    response.end('internal');
  });
  return { calls, host: new URL(url).host };
}

const CLOSE = 'Connection: close\r\n';

test('no name, path or header of a call decides which address the gateway calls', async () => {
  const { calls, host } = await startInternal();
  const { port, toGet } = await startServer({ listen: { trustProxy: true } }, serving());
  const names = ['localhost', '127.0.0.1', host, '[::1]', 'a@127.0.0.1', 'web.test', '%5B::1%5D'];
  const targets = [
    ...names.map((name) => `/v1/cloudrun/${name}/x`),
    `http://${host}/v1/cloudrun/hello`,
    `http://${host}/`,
    `//${host}/`,
    `/v1/cloudrun/hello/http://${host}/`,
    `/v1/cloudrun/hello?url=http://${host}/`,
    `/v1/cloudrun/hello/@${host}/`,
  ];
  const headers = ['X-Forwarded-Host', 'Forwarded', 'X-Original-URL', 'X-Rewrite-URL', 'Proxy'];
  for (const request of [
    ...targets.map((target) => toGet(CLOSE, target)),
    ...headers.map((header) => toGet(`${CLOSE}${header}: ${host}\r\n`)),
    toGet(CLOSE).replace('dev.localhost', host),
    `CONNECT ${host} HTTP/1.1\r\nHost: ${host}\r\n\r\n`,
  ]) {
    // A CONNECT gets no response.
    const [status = 400] = statusesOf(await sendRaw(port, request));
    expect([request, status]).toEqual([request, expect.toSatisfy((code) => code >= 400)]);
  }
  expect(calls).toEqual([]);
});

test('no forwarded header chooses the environment', async () => {
  const { port, token } = await startWhole({ listen: { trustProxy: true } });
  const head = `GET /v1/cloudrun/hello HTTP/1.1\r\nHost: dev.localhost\r\nAuthorization: Bearer ${await token('dev')}\r\nConnection: close\r\n`;
  for (const name of ['X-Forwarded-Host', 'X-Host', 'X-Original-Host', 'X-Berth-Env']) {
    expect(await sendRaw(port, `${head}${name}: qa.localhost\r\n\r\n`)).toMatch(/\bdev$/);
  }
  expect(await sendRaw(port, `${head}Forwarded: host=qa.localhost\r\n\r\n`)).toMatch(/\bdev$/);
});
