import acme from '@berth/spec/wire-profiles/acme.json' with { type: 'json' };
import { afterAll, describe, expect, test } from 'vitest';
import { createMock } from '../src/index.ts';
import { storage } from './helpers/calls.ts';

test("examples have the deployment's names", async () => {
  await using mock = await createMock({ wireProfile: acme });
  const headers = {
    'x-acme-authorization': '1.0 any',
    'x-acme-timestamp': '1700000000',
    prefer: 'example=success',
  };
  const { json } = await storage(mock, 'getUploadMetaData', { path: 'a' }, headers);
  expect(json.body.data.acmeFileID).toBeTypeOf('string');
  expect(json.body.data).not.toHaveProperty('storeFileID');
});

// The conformance suite checks successes, refusals and CORS.
describe('a mock with flat responses', async () => {
  const flat = await createMock({ wireProfile: { envelope: 'flat' } });
  afterAll(() => flat.close());
  const [requestId, message] = [expect.any(String), expect.any(String)];

  test.each<[Record<string, string>, number, object]>([
    [{ prefer: 'example=success' }, 200, { requestId, data: expect.any(Object) }],
    [{ 'x-mock-fault': 'code=SYS_ERR' }, 500, { requestId, code: 'SYS_ERR', message }],
    [{ prefer: 'code=429' }, 429, { requestId, code: 'EXCEED_RATELIMIT', message }],
  ])('sends no envelope for %j', async (headers, status, json) => {
    const reply = await storage(flat, 'batchDelete', { fileList: [] }, headers);
    expect([reply.status, reply.json]).toEqual([status, json]);
  });
});
