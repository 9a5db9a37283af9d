import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createMock, type Mock } from '../../src/index.ts';
import { call } from '../helpers/call.ts';
import { gateway } from '../helpers/calls.ts';

const LISTED = 'https://app.example.com';
const UNLISTED = 'https://other.example.com';
const PATHS = ['/v1/cloudrun/hello', '/api/v2/envs/dev/storages:batchDelete', '/', '/files/a.txt'];

const dir = await mkdtemp(join(tmpdir(), 'berth-origins-'));
afterAll(() => rm(dir, { recursive: true }));

async function startReplay(): Promise<Mock> {
  await using real = await createMock();
  await using between = await createMock({ proxy: real.url, record: dir });
  await gateway(between, { path: '/v1/cloudrun/hello/recorded' });
  await between.close();
  return createMock({ replay: dir, origins: [LISTED] });
}

async function startProxyOfNothing(): Promise<Mock> {
  const { url, close } = await createMock();
  await close();
  return createMock({ proxy: url, origins: [LISTED] });
}

describe.each([
  ['--replay', startReplay],
  ['--proxy', startProxyOfNothing],
] as const)('what %s refuses itself', (name, start) => {
  let mock: Mock;
  beforeAll(async () => {
    mock = await start();
  });
  afterAll(() => mock.close());

  test.each(PATHS)('can be read only by pages from a listed origin: %s', async (path) => {
    const from = (origin: string, method: string) =>
      call(mock, {
        method,
        path,
        headers: {
          origin,
          ...(method === 'OPTIONS' && { 'access-control-request-method': 'POST' }),
        },
      });
    const refused = await from(LISTED, 'GET');
    expect(refused.status).toBeGreaterThanOrEqual(400);
    const preflight = await from(LISTED, 'OPTIONS');
    expect(preflight.status).toBe(204);
    // The mock's response while the deployment is down must not be cached as the deployment's.
    if (name === '--proxy') expect(preflight.headers['access-control-max-age']).toBe('0');
    for (const { headers } of [refused, preflight]) {
      expect(headers).toMatchObject({ 'access-control-allow-origin': LISTED, vary: 'Origin' });
    }
    for (const method of ['GET', 'OPTIONS']) {
      const { headers } = await from(UNLISTED, method);
      expect(headers).not.toHaveProperty('access-control-allow-origin');
    }
  });
});
