import acme from '@berth/spec/wire-profiles/acme.json' with { type: 'json' };
import { afterAll, describe, expect, test } from 'vitest';
import { createMock } from '../src/index.ts';
import { call, storage } from './helpers/calls.ts';

test("examples and CORS have the deployment's names", async () => {
  await using mock = await createMock({ wireProfile: acme });
  const { json } = await call(mock, {
    method: 'POST',
    path: '/api/v2/envs/dev/storages:getUploadMetaData',
    headers: {
      'x-acme-authorization': '1.0 any',
      'x-acme-timestamp': '1700000000',
      'content-type': 'application/json',
      prefer: 'example=success',
    },
    body: '{"path":"a"}',
  });
  expect(json.body.data.acmeFileID).toBeTypeOf('string');
  expect(json.body.data).not.toHaveProperty('storeFileID');
  const { headers } = await call(mock, { method: 'OPTIONS', path: '/v1/cloudrun/hello' });
  expect(headers['access-control-allow-headers']).toContain('X-Acme-SessionToken');
  expect(headers['access-control-expose-headers']).toContain('X-Acme-Upstream-Status-Code');
});

describe('a mock with flat responses', async () => {
  const flat = await createMock({ wireProfile: { envelope: 'flat' } });
  afterAll(() => flat.close());
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
    const reply = await storage(flat, 'batchDelete', { fileList: [] }, headers);
    expect([reply.status, reply.json]).toEqual([status, json]);
  });
});
