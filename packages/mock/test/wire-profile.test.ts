import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import acme from '@berth/spec/wire-profiles/acme.json' with { type: 'json' };
import { afterAll, describe, expect, onTestFinished, test } from 'vitest';
import { createMock } from '../src/index.ts';
import { call, STORAGE_HEADERS } from './helpers/calls.ts';
import { spawnCli, untilReady } from './helpers/cli.ts';

const mock = await createMock({ wireProfile: acme });
afterAll(() => mock.close());

const HEADERS = { 'x-acme-authorization': '1.0 any', 'x-acme-timestamp': '1700000000' };
/** First step of an upload, without checking the response: the contract has other names. */
const getUploadMetaData = async (path: string, headers = {}) => {
  const response = await fetch(`${mock.storageUrl}/api/v2/envs/dev/storages:getUploadMetaData`, {
    method: 'POST',
    headers: { ...HEADERS, 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ path }),
  });
  const { body } = (await response.json()) as { body: { data: Record<string, string> } };
  return body.data;
};

describe('a mock with the names of acme', () => {
  test('has its names in the examples', async () => {
    const data = await getUploadMetaData('a', { prefer: 'example=success' });
    expect(data.acmeFileID).toBeTypeOf('string');
    expect(data).not.toHaveProperty('storeFileID');
  });

  test('allows and exposes its headers to pages of other origins', async () => {
    const { headers } = await call(mock, { method: 'OPTIONS', path: '/v1/cloudrun/hello' });
    expect(headers['access-control-allow-headers']).toContain('X-Acme-SessionToken');
    expect(headers['access-control-expose-headers']).toContain('X-Acme-Upstream-Status-Code');
  });
});

describe('a mock with flat responses', async () => {
  const flat = await createMock({ wireProfile: { envelope: 'flat' } });
  afterAll(() => flat.close());
  const DELETE = { fileList: ['cloud://dev.files/none.txt'] };
  const requestId = expect.any(String);
  const message = expect.any(String);

  // The conformance suite checks successes and refusals.
  test.each<[string, Record<string, string>, number, object]>([
    ['an example', { prefer: 'example=success' }, 200, { requestId, data: expect.any(Object) }],
    ['a fault', { 'x-mock-fault': 'code=SYS_ERR' }, 500, { requestId, code: 'SYS_ERR', message }],
    [
      'a documented error',
      { prefer: 'code=429' },
      429,
      { requestId, code: 'EXCEED_RATELIMIT', message },
    ],
  ])('sends %s without the envelope', async (_, headers, status, json) => {
    const response = await fetch(`${flat.url}/api/v2/envs/dev/storages:batchDelete`, {
      method: 'POST',
      headers: { ...STORAGE_HEADERS, ...headers },
      body: JSON.stringify(DELETE),
    });
    expect([response.status, await response.json()]).toEqual([status, json]);
  });
});

test('--wire-profile names a file', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'berth-mock-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const file = join(folder, 'live.json');
  const storageHeaders = { ...acme.storageHeaders, timestamp: "X-It's-`Time`" };
  await writeFile(file, JSON.stringify({ ...acme, storageHeaders }));
  const child = spawnCli('--port', '0', '--log', 'quiet', '--wire-profile', file);
  onTestFinished(() => void child.kill('SIGKILL'));
  const printed = await untilReady(child);
  expect(printed).toContain("-H 'X-Acme-Authorization: 1.0 any'");
  expect(printed).toContain(`-H 'X-It'\\''s-\`Time\`: 1700000000'`);
});
