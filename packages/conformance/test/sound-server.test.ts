import { mkdtemp, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createConformance } from '../src/index.ts';
import { transactions } from '../src/transaction.ts';
import { runAgainst } from './support/run.ts';
import { startSoundServer } from './support/sound-server.ts';

test('a sound deployment passes, and every documented answer has one result', async () => {
  await using server = await startSoundServer();
  const { summary, exitCode, results } = await createConformance({
    gatewayUrl: server.url,
    storageUrl: server.url,
  }).run();
  expect(exitCode).toBe(0);
  expect(summary).toEqual({ pass: 24, fail: 0, error: 0, skip: 19, required: 0 });
  expect(results).toHaveLength(transactions.length);
  expect(new Set(results.map(({ name }) => name)).size).toBe(transactions.length);
  for (const { outcome, reason } of results) if (outcome === 'skip') expect(reason).toBeTruthy();
});

test('one line a transaction, by operationId, and a summary', async () => {
  await using server = await startSoundServer();
  const { code, lines } = await runAgainst(server.url);
  expect(code).toBe(0);
  expect(lines).toContain('pass  storage batchDelete 200 application/json');
  expect(lines).toContain('pass  gateway cloudrun-get-root 404 application/json');
  expect(lines).toContain('skip  storage uploadFile 2XX: Dredd sends no multipart form');
  expect(lines.at(-1)).toMatch(/^24 pass, 0 fail, 0 error, 19 skip: /);
  expect(lines).toHaveLength(transactions.length + 1);
});

test('the JSON report has the contract, the counts and the evidence', async () => {
  await using server = await startSoundServer();
  const file = join(await mkdtemp(join(tmpdir(), 'berth-')), 'report.json');
  await runAgainst(server.url, '--report', `json=${file}`);
  const report = JSON.parse(await readFile(file, 'utf8'));
  expect(report.targets).toEqual([
    { api: 'gateway', url: server.url, contract: 'gateway.v1', version: '1.0.0' },
    { api: 'storage', url: server.url, contract: 'storage.v2', version: '2.0.0' },
  ]);
  const result = report.results.find(
    ({ name }: { name: string }) => name === 'storage batchDelete 200 application/json',
  );
  expect(result.request.url).toBe(`${server.url}/api/v2/envs/dev/storages:batchDelete`);
  expect(result.answer.status).toBe(200);
});

test('only files of the run are named, by the IDs that the target gave', async () => {
  await using server = await startSoundServer();
  await runAgainst(server.url);
  const bodies = server.requests
    .filter(({ url, body }) => url.includes('storages:') && body !== '{}')
    .map(({ body }) => body);
  expect(bodies.length).toBeGreaterThan(0);
  for (const body of bodies) expect(body).toMatch(/berth-conformance-[0-9a-f]{8}/);
  const deleted = server.requests.find(({ url }) => url.endsWith('storages:batchDelete'));
  expect(deleted?.body).toMatch(/^\{"fileList":\["id:berth-conformance-/);
});

test('addresses, names and credentials are those of the options', async () => {
  await using gateway = await startSoundServer();
  await using storage = await startSoundServer();
  await createConformance({
    gatewayUrl: `${gateway.url}/base/`,
    storageUrl: storage.url,
    gatewayHost: 'prod.gateway.example',
    env: 'prod',
    service: 'shop',
    gatewayToken: 'token-1234',
    storageHeaders: { 'X-Svc-Authorization': '1.0 abcd' },
  }).run();
  const [call] = gateway.requests.filter(({ url }) => url === '/base/v1/cloudrun/shop/abc');
  expect(call?.headers).toMatchObject({
    host: 'prod.gateway.example',
    authorization: 'Bearer token-1234',
  });
  expect(storage.requests[0]).toMatchObject({
    url: '/api/v2/envs/prod/storages:getUploadMetaData',
    headers: { 'x-svc-authorization': '1.0 abcd' },
  });
});
