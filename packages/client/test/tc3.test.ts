import { Readable } from 'node:stream';
import { type GatewayAuth, tc3, tc3Storage } from '@berth/client';
import { describe, expect, it } from 'vitest';

const NOW = 1_700_000_000_000;
const PAIR = { secretId: 'AKIDEXAMPLE', secretKey: 'Gu5t9xGARNpq86cd98joQYCN3EXAMPLE' };

describe('tc3', () => {
  const JSON_TYPE = 'application/json; charset=utf-8';
  type Init = Partial<Parameters<GatewayAuth['authorize']>[0]>;

  function sign(init: Init, path = '/v1/cloudrun/hello', auth = tc3(PAIR)) {
    const url = `https://env-abc.api.tcloudbasegateway.com${path}`;
    const defaults = { method: 'GET', headers: {}, body: undefined, now: NOW + 999 };
    return auth.authorize({ ...defaults, url, ...init });
  }

  it.each([
    [
      { method: 'POST', body: '{"key1":"v1"}' },
      '/v1/cloudrun/helloworld/abc',
      JSON_TYPE,
      '924320a002e71c3bca019a05b7ad2210d336ee2cb132607eb2fc92b6a7ab6573',
    ],
    [
      { method: 'GET' },
      '/v1/cloudrun/helloworld/abc?a=1&b=%E4%B8%AD',
      JSON_TYPE,
      '03fe0e4135523a447442761972e040aaee12095f9de2e63ae42e2864610cc674',
    ],
    [
      { method: 'POST', body: '{"msg":"你好"}' },
      '/v1/cloudrun/svc-1',
      'application/json',
      '7e623ebb6f91f1a29a4978b68cf59a9c484e76d291ca2fb0816abd663aa4e731',
    ],
  ])('CL-SIGNATURE: signs as published: %j', async (init, path, type, hex) => {
    const auth = tc3(PAIR, { service: 'tcb' });
    expect(await sign({ ...init, headers: { 'content-type': type } }, path, auth)).toBe(
      `TC3-HMAC-SHA256 Credential=AKIDEXAMPLE/2023-11-14/tcb/tc3_request, SignedHeaders=content-type;host, Signature=${hex}, Timestamp=1700000000`,
    );
  });

  it('signs for the service of the contract and ends with the session token', async () => {
    const value = await sign({}, '/', tc3({ ...PAIR, token: 'session' }));
    expect(value).toContain('/2023-11-14/svc/tc3_request, SignedHeaders=host, ');
    expect(value).toMatch(/, Timestamp=1700000000, Token=session$/);
  });

  it('cuts the boundary of a form, but of no other media type', async () => {
    const signType = (type: string) => sign({ headers: { 'content-type': type } });
    const form = 'multipart/form-data';
    expect(await signType(`${form}; boundary=Xx`)).toBe(await signType(form));
    expect(await signType(`${form}-x; boundary=Xx`)).not.toBe(await signType(`${form}-x`));
  });

  it('rejects a stream and suggests a fix', async () => {
    for (const body of [new ReadableStream(), Readable.from(['a']) as never]) {
      const message = 'A stream cannot be signed: pass bytes or a Blob, or use bearer().';
      await expect(sign({ method: 'POST', body })).rejects.toThrow(message);
    }
  });
});

it('tc3Storage signs as published, each day with its key', async () => {
  const secretId = 'AKIDDo-bNhLNl3kEY5HRzEG-CNUotmyFSadvpKimESWTfND98qyfrpYLCtQJ92_z9yN8';
  const secretKey = 'wH72j2a5ZzhwgnXViwVNqdWhWn4AG4iasv26D4JdjBA=';
  const options = { service: 'tcb', signingHost: 'api.tcloudbase.com' };
  const sign = tc3Storage({ secretId, secretKey }, options);
  const published = {
    authorization: `1.0 TC3-HMAC-SHA256 Credential=${secretId}/2020-09-16/tcb/tc3_request, SignedHeaders=content-type;host, Signature=0ce229810e251baa0ee2bb786c5f9eb6cb7758f55df28cbc161883c48a997e04`,
    timestamp: 1_600_227_242,
  };
  // The key of another day must not be used.
  const days = [-86_400, 0, 86_400].map((seconds) => sign((published.timestamp + seconds) * 1000));
  expect((await Promise.all(days))[1]).toEqual(published);
  expect(await sign(published.timestamp * 1000)).toEqual(published);
});
