import { describe, expect, test } from 'vitest';
import { signGatewayRequest } from '../sign-gateway-request.ts';
import { signStorageRequest } from '../sign-storage-request.ts';
import { sha256 } from './signing-key.ts';
import { toStorageCanonicalRequest } from './to-canonical-request.ts';

/** Published for platforms that speak this API; their service and hosts are other than ours. */
const service = 'tcb';
const JSON_TYPE = 'application/json; charset=utf-8';

describe('the published vectors', () => {
  const credential = { id: 'AKIDEXAMPLE', secret: 'Gu5t9xGARNpq86cd98joQYCN3EXAMPLE' };
  test.each([
    {
      method: 'POST',
      target: '/v1/cloudrun/helloworld/abc',
      type: JSON_TYPE,
      body: '{"key1":"v1"}',
      hex: '924320a002e71c3bca019a05b7ad2210d336ee2cb132607eb2fc92b6a7ab6573',
    },
    {
      method: 'GET',
      target: '/v1/cloudrun/helloworld/abc?a=1&b=%E4%B8%AD',
      type: JSON_TYPE,
      body: '',
      hex: '03fe0e4135523a447442761972e040aaee12095f9de2e63ae42e2864610cc674',
    },
    {
      method: 'POST',
      target: '/v1/cloudrun/svc-1',
      type: 'application/json',
      body: '{"msg":"你好"}',
      hex: '7e623ebb6f91f1a29a4978b68cf59a9c484e76d291ca2fb0816abd663aa4e731',
    },
  ])('$method $target is signed as published', ({ method, target, type, body, hex }) => {
    const headers = { 'content-type': type, host: 'env-abc.api.tcloudbasegateway.com' };
    const timestamp = 1_700_000_000;
    const request = { method, target, headers, body, timestamp, service };
    expect(signGatewayRequest(credential, request)).toBe(
      `TC3-HMAC-SHA256 Credential=AKIDEXAMPLE/2023-11-14/tcb/tc3_request, SignedHeaders=content-type;host, Signature=${hex}, Timestamp=1700000000`,
    );
  });

  test('the storage text and its signature are as published', () => {
    const signingHost = 'api.tcloudbase.com';
    const text = toStorageCanonicalRequest(signingHost, JSON_TYPE);
    expect(sha256(text)).toBe('0b986c5cd287577210de28ce0ff9167ada0dbb88736b07ce307b45615a49307e');
    const id = 'AKIDDo-bNhLNl3kEY5HRzEG-CNUotmyFSadvpKimESWTfND98qyfrpYLCtQJ92_z9yN8';
    const secret = 'wH72j2a5ZzhwgnXViwVNqdWhWn4AG4iasv26D4JdjBA=';
    const timestamp = 1_600_227_242;
    expect(signStorageRequest({ id, secret }, { timestamp, service, signingHost })).toEqual({
      'X-Svc-Authorization': `1.0 TC3-HMAC-SHA256 Credential=${id}/2020-09-16/tcb/tc3_request, SignedHeaders=content-type;host, Signature=0ce229810e251baa0ee2bb786c5f9eb6cb7758f55df28cbc161883c48a997e04`,
      'X-Svc-SessionToken': '',
      'X-Svc-TimeStamp': '1600227242',
    });
  });
});
