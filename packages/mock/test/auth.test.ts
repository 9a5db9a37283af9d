import { createHash, createHmac } from 'node:crypto';
import { signStorageRequest } from '@berth/server-stubs/engine/node';
import { describe, expect, test } from 'vitest';
import { createMock, type Mock, type MockCredentials } from '../src/index.ts';
import { KEY_PAIR } from '../src/surfaces/auth/credentials.ts';
import { call } from './helpers/call.ts';
import { storage } from './helpers/calls.ts';

const SERVICE = '/v1/cloudrun/hello';
const JSON_TYPE = 'application/json';
const signStorage = (timestamp: number) =>
  signStorageRequest(KEY_PAIR, { timestamp })['X-Svc-Authorization'] ?? '';
const strict = () => createMock({ auth: 'strict' });
const seconds = () => Math.floor(Date.now() / 1000);
const withToken = (mock: Mock, token: string) =>
  call(mock, { path: SERVICE, headers: { authorization: `Bearer ${token}` } });

test('off accepts calls with and without credentials', async () => {
  await using mock = await createMock({ auth: 'off' });
  for (const authorization of [undefined, '', 'Basic YTpi']) {
    const headers = authorization === undefined ? {} : { authorization };
    expect((await call(mock, { path: SERVICE, headers })).status).toBe(200);
  }
  const response = await call(mock, {
    method: 'POST',
    path: '/api/v2/envs/dev/storages:batchDelete',
    headers: { 'content-type': JSON_TYPE },
    body: '{"fileList":[]}',
  });
  expect(response.status).toBe(200);
});

describe('strict, the gateway', () => {
  test("accepts the mock's token and no other", async () => {
    await using mock = await strict();
    const { token } = await mock.credentials();
    expect((await withToken(mock, token)).status).toBe(200);
    const [head, claims] = token.split('.');
    for (const wrong of ['any', `${head}.${claims}.`, `${head}.${claims}.${'A'.repeat(86)}`]) {
      const { status, json } = await withToken(mock, wrong);
      expect([status, json]).toMatchObject([401, { code: 'ACCESS_TOKEN_INVALID' }]);
    }
  });

  test('refuses the token from another environment', async () => {
    await using mock = await strict();
    await using other = await createMock({ auth: 'strict', env: 'other' });
    const { token } = await other.credentials();
    const { json } = await withToken(mock, token);
    expect(json).toMatchObject({ code: 'ACCESS_TOKEN_INVALID' });
    expect(json.message).toContain('aud');
  });

  test("expires tokens by the session's clock", async () => {
    await using mock = await strict();
    const { token } = await mock.credentials();
    mock.session().clock.advance(31 * 24 * 3_600_000);
    const { status, json } = await withToken(mock, token);
    expect([status, json]).toMatchObject([401, { code: 'ACCESS_TOKEN_EXPIRED' }]);
  });

  test('verifies the signature of a call with a body', async () => {
    await using mock = await strict();
    const credentials = await mock.credentials();
    const path = `${SERVICE}/a?b=1`;
    const body = '{"name":"Ada"}';
    const post = (signed: string, secret = credentials.secret) =>
      call(mock, {
        method: 'POST',
        path,
        headers: {
          'content-type': JSON_TYPE,
          authorization: sign(mock, { ...credentials, secret }, 'POST', signed),
        },
        body,
      });
    expect((await post(body)).status).toBe(200);
    for (const refused of [await post('{"name":"Eve"}'), await post(body, 'other')]) {
      expect(refused).toMatchObject({ status: 401, json: { code: 'INVALID_CREDENTIALS' } });
      expect(refused.json.message).toContain('does not match');
    }
  });

  test('reports its time to a caller whose clock differs', async () => {
    await using mock = await strict();
    const credentials = await mock.credentials();
    mock.session().clock.advance(3_600_000);
    const authorization = sign(mock, credentials, 'GET', '', SERVICE, '');
    const { json } = await call(mock, {
      path: SERVICE,
      headers: { authorization, 'content-type': JSON_TYPE },
    });
    expect(json).toMatchObject({ code: 'INVALID_CREDENTIALS' });
    expect(json.message).toMatch(/the mock's clock, which is at \d+/);
  });
});

describe('strict, storage', () => {
  test("accepts the mock's signature and no other", async () => {
    await using mock = await strict();
    const time = seconds();
    const good = signStorage(time);
    const ask = (authorization: string, timestamp = time) =>
      storage(
        mock,
        'batchDelete',
        { fileList: [] },
        { 'x-svc-authorization': authorization, 'x-svc-timestamp': timestamp },
      );
    expect((await ask(good)).status).toBe(200);
    for (const response of [
      await ask('1.0 any'),
      await ask(good.replace(/.$/, (last) => (last === '0' ? '1' : '0'))),
      await ask(good, time - 1),
      await ask(signStorage(time - 400), time - 400),
    ]) {
      expect(response).toMatchObject({
        status: 401,
        json: { body: { code: 'SIGN_PARAM_INVALID' } },
      });
    }
  });
});

/** Creates a version 3 signature, implemented independently from its description. */
function sign(
  { port }: Mock,
  { id, secret }: MockCredentials,
  method: string,
  body: string,
  path = `${SERVICE}/a`,
  query = 'b=1',
): string {
  const sha = (text: string) => createHash('sha256').update(text).digest('hex');
  const time = seconds();
  const date = new Date(time * 1000).toISOString().slice(0, 10);
  const canonical = `${method}\n${path}\n${query}\ncontent-type:${JSON_TYPE}\nhost:127.0.0.1:${port}\n\ncontent-type;host\n${sha(body)}`;
  const text = `TC3-HMAC-SHA256\n${time}\n${date}/svc/tc3_request\n${sha(canonical)}`;
  const key = [date, 'svc', 'tc3_request'].reduce<Buffer | string>(
    (last, part) => createHmac('sha256', last).update(part).digest(),
    `TC3${secret}`,
  );
  const signature = createHmac('sha256', key).update(text).digest('hex');
  return `TC3-HMAC-SHA256 Credential=${id}/${date}/svc/tc3_request,SignedHeaders=content-type;host,Signature=${signature}, Timestamp=${time}`;
}
