import { beforeAll, describe, expect, test } from 'vitest';
import type { Report } from '../src/index.ts';
import { type CorrectServer, startCorrectServer } from './support/correct-server.ts';
import { listDredd, runDredd } from './support/run-dredd.ts';

describe('a correct deployment', () => {
  let report: Report;
  let requests: CorrectServer['requests'];

  beforeAll(async () => {
    await using server = await startCorrectServer();
    ({ requests } = server);
    report = await runDredd(server.url);
  });

  test('passes everything that Dredd can run', () => {
    const outcomes = Object.values(listDredd(report)).map(({ outcome }) => outcome);
    expect(outcomes).toEqual(Array(26).fill('pass'));
    expect(report.exitCode).toBe(0);
  });

  test('is asked for services that are missing, forbidden and badly named', () => {
    const names = requests.map(({ url }) => /cloudrun\/([^/?]+)/.exec(url)?.[1] ?? '');
    for (const name of [/^no-such-service-[\da-f]+$/, /^forbidden$/, /^0[\da-f]+-$/]) {
      expect(names).toContainEqual(expect.stringMatching(name));
    }
  });

  test('is only asked for files of the run, by the IDs that it returned', () => {
    const bodies = requests
      .filter(({ url, body }) => url.includes('storages:') && body !== '{}')
      .map(({ body }) => body);
    expect(bodies.length).toBeGreaterThan(0);
    for (const body of bodies) expect(body).toMatch(/berth-conformance\/[0-9a-f]{8}\//);
    const deleted = requests.find(({ url }) => url.endsWith('storages:batchDelete'));
    expect(deleted?.body).toMatch(/^\{"fileList":\["id:berth-conformance\//);
  });
});

test('addresses, names and credentials come from the options', async () => {
  await using gateway = await startCorrectServer();
  await using storage = await startCorrectServer();
  await runDredd(gateway.url, {
    gatewayUrl: `${gateway.url}/base/`,
    storageUrl: storage.url,
    gatewayHost: 'prod.gateway.example',
    env: 'prod',
    requestForm: 'top',
  });
  const [call] = gateway.requests.filter(({ url }) => url === '/base/v1/cloudrun/conformance/abc');
  expect(call?.headers).toMatchObject({
    host: 'prod.gateway.example',
    authorization: 'Bearer token-1234',
  });
  expect(storage.requests[0]).toMatchObject({
    url: '/api/v2/envs/prod/storages:getUploadMetaData',
    headers: { 'x-svc-authorization': '1.0 abcd' },
  });
});

test('a check that lacks what it needs is disabled, and the reason names the option', async () => {
  await using server = await startCorrectServer();
  const results = listDredd(
    await runDredd(server.url, { forbiddenService: undefined, readOnly: true }),
  );
  const disabled = Object.values(results).filter(({ outcome }) => outcome === 'disabled');
  expect(disabled.map(({ id, reason }) => `${id}: ${reason}`).toSorted()).toEqual([
    'gateway cloudrun-get 403 application/json: no --forbidden-service',
    'gateway cloudrun-get-root 403 application/json: no --forbidden-service',
    'gateway cloudrun-post 403 application/json: no --forbidden-service',
    'gateway cloudrun-post-root 403 application/json: no --forbidden-service',
    'storage batchCopyFile 200 application/json: --read-only',
    'storage batchDelete 200 application/json: --read-only',
  ]);
});
