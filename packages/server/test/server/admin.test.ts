import { rm } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { createStorageClient } from '../attacks/support/storage-client.ts';
import { sendRaw } from '../support/send-raw.ts';
import { startService } from './support/hosted-service.ts';
import { serving, startServer } from './support/start-server.ts';

const get = async (url: string) => (await fetch(url)).text();

test('readyz reports an unusable store, without which the gateway is ready', async () => {
  const { adminUrl, config, metrics } = await startServer();
  expect(await get(`${adminUrl}/healthz`)).toBe('ok\n');
  expect(await get(`${adminUrl}/readyz`)).toBe('ready\n');
  const { root } = config.store as { root: string };
  await rm(root, { recursive: true });
  const ready = await fetch(`${adminUrl}/readyz`);
  expect(ready.status).toBe(200);
  expect(await ready.text()).toMatch(/^ready\nstore: The store folder no longer exists\.\n$/);
  expect(await metrics()).toContain('berth_store_failures_total 1');
});

test('metrics count calls by surface, operation, status and code', async () => {
  const origin = await startService((_, response) => response.end('0123456789'));
  const pair = { id: 'me', secret: 'a secret of mine' };
  const environment = { ...serving(origin), credentials: [pair] };
  const { metrics, metric, url, call, port, toGet, token } = await startServer({}, environment);
  const headers = { authorization: `Bearer ${token}` };
  await (await call('/ok')).text();
  await (await call('/ok')).text();
  await (await call('', { headers: { authorization: 'Bearer x' } })).text();
  const target = 'http://dev.localhost/v1/cloudrun/hello/absolute';
  await sendRaw(port, toGet('Connection: close\r\n', target));
  for (const name of ['toString', 'made-up']) {
    await (await fetch(`${url}/v1/cloudrun/${name}`, { headers })).text();
  }
  const batch = `${url}/api/v2/envs/made-up/storages:batchDelete`;
  await (await fetch(batch, { method: 'POST' })).text();
  await (await fetch(`${url}/files/dev/files/a`)).text();
  await createStorageClient(url, pair).upload('a', 'content');
  // A call is counted when its response closes, which may be after the client has it.
  await expect.poll(() => metric('berth_calls_active'), { timeout: 120_000 }).toBe(0);
  const text = await metrics();
  for (const line of [
    'berth_calls_total{surface="gateway",operation="cloudrun-get",status="2xx",code="",env="dev",service="hello"} 3',
    'berth_calls_total{surface="gateway",operation="cloudrun-get-root",status="4xx",code="ACCESS_TOKEN_INVALID",env="dev",service="hello"} 1',
    'berth_calls_total{surface="gateway",operation="cloudrun-get-root",status="4xx",code="SERVICE_NOT_FOUND",env="dev",service="other"} 2',
    'berth_calls_total{surface="storage",operation="batchDelete",status="4xx",code="SIGN_PARAM_INVALID",env="other",service=""} 1',
    'berth_calls_total{surface="storage",operation="getUploadMetaData",status="2xx",code="",env="dev",service=""} 1',
    'berth_calls_total{surface="link",operation="download",status="4xx",code="SignatureDoesNotMatch",env="dev",service=""} 1',
    'berth_calls_total{surface="upload",operation="uploadFile",status="2xx",code="",env="dev",service=""} 1',
    'berth_call_duration_seconds_count{surface="gateway",operation="cloudrun-get",env="dev",service="hello"} 3',
    'berth_calls_active 0',
    'berth_service_calls_active 0',
    'nodejs_eventloop_lag_seconds ',
    'process_resident_memory_bytes ',
  ]) {
    expect(text).toContain(line);
  }
});
