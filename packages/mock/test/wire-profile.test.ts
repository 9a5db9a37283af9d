import acme from '@berth/spec/wire-profiles/acme.json' with { type: 'json' };
import { expect, test } from 'vitest';
import { createMock } from '../src/index.ts';
import { storage } from './helpers/calls.ts';

const [requestId, message] = [expect.any(String), expect.any(String)];
const data = expect.objectContaining({ acmeFileID: expect.any(String) });

// The conformance suite checks what the engine returns, refusals and CORS.
test.each<[Record<string, string>, number, object]>([
  [{ prefer: 'example=success' }, 200, { requestId, data }],
  [{ 'x-mock-fault': 'code=SYS_ERR' }, 500, { requestId, code: 'SYS_ERR', message }],
  [{ prefer: 'code=429' }, 429, { requestId, code: 'EXCEED_RATELIMIT', message }],
])("has the deployment's names and no envelope: %j", async (headers, status, json) => {
  await using mock = await createMock({ wireProfile: { ...acme, envelope: 'flat' } });
  const credentials = { 'x-acme-authorization': '1.0 any', 'x-acme-timestamp': '1700000000' };
  const all = { ...credentials, ...headers };
  const reply = await storage(mock, 'getUploadMetaData', { path: 'a' }, all);
  expect([reply.status, reply.json]).toEqual([status, json]);
});
