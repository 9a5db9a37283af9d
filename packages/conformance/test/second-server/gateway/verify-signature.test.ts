import type { IncomingMessage } from 'node:http';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { verifySignature } from './verify-signature.ts';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: 1_700_000_000_000 });
});
afterEach(() => {
  vi.useRealTimers();
});

const pair = {
  secretId: 'AKIDEXAMPLE',
  secretKey: 'Gu5t9xGARNpq86cd98joQYCN3EXAMPLE',
  service: 'tcb',
};
const json = 'application/json; charset=utf-8';

// Published vectors of signature version 3.
test.each([
  [
    'POST',
    '/v1/cloudrun/helloworld/abc',
    json,
    '{"key1":"v1"}',
    '924320a002e71c3bca019a05b7ad2210d336ee2cb132607eb2fc92b6a7ab6573',
  ],
  [
    'GET',
    '/v1/cloudrun/helloworld/abc?a=1&b=%E4%B8%AD',
    json,
    '',
    '03fe0e4135523a447442761972e040aaee12095f9de2e63ae42e2864610cc674',
  ],
  [
    'POST',
    '/v1/cloudrun/svc-1',
    'application/json',
    '{"msg":"你好"}',
    '7e623ebb6f91f1a29a4978b68cf59a9c484e76d291ca2fb0816abd663aa4e731',
  ],
])('verifies the published %s of %s', (method, url, type, body, signature) => {
  const host = 'env-abc.api.tcloudbasegateway.com';
  const rawHeaders = ['Host', host, 'Content-Type', type];
  const request = { method, url, rawHeaders, headers: { host, 'content-type': type } };
  const scope = '2023-11-14/tcb/tc3_request';
  const value = `TC3-HMAC-SHA256 Credential=AKIDEXAMPLE/${scope}, SignedHeaders=content-type;host, Signature=${signature}, Timestamp=1700000000`;
  const verify = (text: string) =>
    verifySignature(request as unknown as IncomingMessage, text, Buffer.from(body), pair);
  expect(verify(value)).toBe(true);
  expect(verify(value.replaceAll(', ', ','))).toBe(true);
  expect(verify(`${value}, Token=session`)).toBe(true);
  expect(verify(value.replace(/Timestamp=.*/, 'Timestamp=1700000001'))).toBe(false);
  expect(verify(value.replace('SignedHeaders=content-type;host', 'SignedHeaders=host'))).toBe(
    false,
  );
  vi.setSystemTime(1_700_002_000_000);
  expect(verify(value)).toBe(false);
});
