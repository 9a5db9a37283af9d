import { expect, test } from 'vitest';
import { startService } from '../server/support/hosted-service.ts';
import { startServer } from '../server/support/start-server.ts';
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

test('no name, path or header of a call decides which address the gateway calls', async () => {
  const internal = await startInternal();
  const { host } = internal;
  const { port, token } = await startServer(
    { listen: { port: 0, trustProxy: true } },
    { services: { hello: { endpoints: [] } } },
  );
  const send = (target: string, more = '') =>
    sendRaw(
      port,
      `GET ${target} HTTP/1.1\r\nAuthorization: Bearer ${token}\r\n${more || 'Host: 127.0.0.1\r\n'}Connection: close\r\n\r\n`,
    );
  for (const name of [
    'localhost',
    '127.0.0.1',
    host,
    '[::1]',
    'hello@127.0.0.1',
    'web.test',
    '%5B::1%5D',
  ]) {
    expect(statusesOf(await send(`/v1/cloudrun/${name}/x`))[0]).toBeGreaterThanOrEqual(400);
  }
  for (const target of [
    `http://${host}/v1/cloudrun/hello`,
    `http://${host}/`,
    `//${host}/`,
    `/v1/cloudrun/hello/http://${host}/`,
    `/v1/cloudrun/hello?url=http://${host}/`,
    `/v1/cloudrun/hello/@${host}/`,
  ]) {
    expect(statusesOf(await send(target))[0]).toBeGreaterThanOrEqual(400);
  }
  for (const header of [
    'Host',
    'X-Forwarded-Host',
    'Forwarded',
    'X-Original-URL',
    'X-Rewrite-URL',
    'Proxy',
  ]) {
    const more = header === 'Host' ? '' : 'Host: 127.0.0.1\r\n';
    const response = await send('/v1/cloudrun/hello', `${more}${header}: ${host}\r\n`);
    expect(statusesOf(response)[0]).toBeGreaterThanOrEqual(400);
  }
  expect(
    statusesOf(await sendRaw(port, `CONNECT ${host} HTTP/1.1\r\nHost: ${host}\r\n\r\n`)),
  ).not.toContain(200);
  expect(internal.calls).toEqual([]);
});

test('no forwarded header chooses the environment', async () => {
  const { port, token } = await startWhole({ listen: { port: 0, trustProxy: true } });
  const head = `GET /v1/cloudrun/hello HTTP/1.1\r\nHost: dev.localhost\r\nAuthorization: Bearer ${await token('dev')}\r\nConnection: close\r\n`;
  for (const name of ['X-Forwarded-Host', 'X-Host', 'X-Original-Host', 'X-Berth-Env']) {
    expect(await sendRaw(port, `${head}${name}: qa.localhost\r\n\r\n`)).toMatch(/\bdev$/);
  }
  expect(await sendRaw(port, `${head}Forwarded: host=qa.localhost\r\n\r\n`)).toMatch(/\bdev$/);
});
