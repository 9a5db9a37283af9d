import { describe, expect, test } from 'vitest';
import { signTc3, type Tc3Input, toTc3Header } from './sign-tc3.ts';

const KEYS = {
  secretId: 'AKIDEXAMPLE',
  secretKey: 'Gu5t9xGARNpq86cd98joQYCN3EXAMPLE',
  service: 'tcb',
};
const HOST = ['host', 'env-abc.api.tcloudbasegateway.com'] as const;
const INPUT: Tc3Input = {
  method: 'GET',
  path: '/a',
  query: '',
  headers: [HOST],
  body: Buffer.alloc(0),
  timestamp: 1_700_000_000,
};

describe('the published vectors', () => {
  test.each([
    {
      method: 'POST',
      path: '/v1/cloudrun/helloworld/abc',
      query: '',
      type: 'application/json; charset=utf-8',
      body: '{"key1":"v1"}',
      hex: '924320a002e71c3bca019a05b7ad2210d336ee2cb132607eb2fc92b6a7ab6573',
    },
    {
      method: 'GET',
      path: '/v1/cloudrun/helloworld/abc',
      query: 'a=1&b=%E4%B8%AD',
      type: 'application/json; charset=utf-8',
      body: '',
      hex: '03fe0e4135523a447442761972e040aaee12095f9de2e63ae42e2864610cc674',
    },
    {
      method: 'POST',
      path: '/v1/cloudrun/svc-1',
      query: '',
      type: 'application/json',
      body: '{"msg":"你好"}',
      hex: '7e623ebb6f91f1a29a4978b68cf59a9c484e76d291ca2fb0816abd663aa4e731',
    },
  ])('$method $path', ({ type, hex, body, ...call }) => {
    const headers = [['Content-Type', type], HOST] as const;
    const parts = signTc3({ ...INPUT, ...call, headers, body: Buffer.from(body) }, KEYS);
    expect(toTc3Header(parts)).toBe(
      `TC3-HMAC-SHA256 Credential=AKIDEXAMPLE/2023-11-14/tcb/tc3_request, SignedHeaders=content-type;host, Signature=${hex}, Timestamp=1700000000`,
    );
  });
});
