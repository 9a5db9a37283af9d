import { mkdtemp, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { createConformance, type Report } from '../src/index.ts';
import { transactions } from '../src/transaction.ts';
import { type Run, runAgainst } from './support/run.ts';
import { type SoundServer, startSoundServer } from './support/sound-server.ts';

describe('a sound deployment', () => {
  let run: Run;
  let report: Report;
  let url: string;
  let requests: SoundServer['requests'];

  beforeAll(async () => {
    await using server = await startSoundServer();
    const file = join(await mkdtemp(join(tmpdir(), 'berth-')), 'report.json');
    run = await runAgainst(server.url, '--report', `json=${file}`);
    report = JSON.parse(await readFile(file, 'utf8'));
    ({ url, requests } = server);
  });

  test('passes, and every documented answer has one result', () => {
    const { summary, exitCode, results } = report;
    expect(exitCode).toBe(0);
    expect(summary).toEqual({ pass: 24, fail: 0, error: 0, skip: 19, required: 0 });
    expect(results).toHaveLength(transactions.length);
    expect(new Set(results.map(({ name }) => name)).size).toBe(transactions.length);
    for (const { outcome, reason } of results) if (outcome === 'skip') expect(reason).toBeTruthy();
  });

  test('gets one line a transaction, by operationId, and a summary', () => {
    expect(run.code).toBe(0);
    expect(run.lines).toContain('pass  storage batchDelete 200 application/json');
    expect(run.lines).toContain('pass  gateway cloudrun-get-root 404 application/json');
    expect(run.lines).toContain('skip  storage uploadFile 2XX: Dredd sends no multipart form');
    expect(run.lines.at(-1)).toMatch(/^24 pass, 0 fail, 0 error, 19 skip: /);
    expect(run.lines).toHaveLength(transactions.length + 1);
  });

  test('gets a JSON report with the contract, the counts and the evidence', () => {
    expect(report.targets).toEqual([
      { api: 'gateway', url, contract: 'gateway.v1', version: '1.0.0' },
      { api: 'storage', url, contract: 'storage.v2', version: '2.0.0' },
    ]);
    const result = report.results.find(
      ({ name }) => name === 'storage batchDelete 200 application/json',
    );
    expect(result?.request?.url).toBe(`${url}/api/v2/envs/dev/storages:batchDelete`);
    expect(result?.answer?.status).toBe(200);
  });

  test('is asked for files of the run only, by the IDs that it gave', () => {
    const bodies = requests
      .filter(({ url, body }) => url.includes('storages:') && body !== '{}')
      .map(({ body }) => body);
    expect(bodies.length).toBeGreaterThan(0);
    for (const body of bodies) expect(body).toMatch(/berth-conformance-[0-9a-f]{8}/);
    const deleted = requests.find(({ url }) => url.endsWith('storages:batchDelete'));
    expect(deleted?.body).toMatch(/^\{"fileList":\["id:berth-conformance-/);
  });
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
    requestForm: 'top',
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
