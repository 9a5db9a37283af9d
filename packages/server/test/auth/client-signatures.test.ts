import { tc3, tc3Storage } from '@berth/client';
import { expect, test } from 'vitest';
import { deploy, START } from './support/deployment.ts';

const SECRET = 'a secret that no response may show';
const TOKEN = 'session-token-of-temporary-credentials';
const ENVIRONMENTS = {
  dev: {
    credentials: [
      { id: 'ci', secret: SECRET },
      { id: 'temporary', secret: SECRET, token: TOKEN },
    ],
  },
};
const PERMANENT = { secretId: 'ci', secretKey: SECRET };
const TEMPORARY = { secretId: 'temporary', secretKey: SECRET, token: TOKEN };
const NOW = START * 1000;
const PATH = '/v1/cloudrun/hello';
const JSON_TYPE = { 'content-type': 'application/json; charset=utf-8' };
const FORM_TYPE = { 'content-type': 'multipart/form-data; boundary=Xx' };

interface Call {
  readonly method?: string;
  readonly path?: string;
  readonly headers?: Record<string, string>;
  readonly body?: string;
}

/** Signs a call as the client does and sends it to the reference server over HTTP. */
async function callSigned({ method = 'GET', path = PATH, headers = {}, body }: Call, options = {}) {
  const deployment = await deploy(ENVIRONMENTS);
  const authorization = await tc3({ ...PERMANENT, ...options }).authorize({
    method,
    url: new URL(path, 'https://dev.example').href,
    headers: Object.fromEntries(new Headers(headers)),
    body,
    now: NOW,
  });
  const sent = { ...headers, authorization: String(authorization) };
  const send = (given = body) =>
    deployment.gateway('dev', path, { method, headers: sent, ...(given && { body: given }) });
  return { reply: await send(), send, served: deployment.served };
}

test.each<[string, Call, object?]>([
  ['a GET', {}],
  ['a GET with a content type', { headers: JSON_TYPE }],
  ['the root with a slash', { path: `${PATH}/` }],
  ['a path with escapes, two slashes and a query', { path: `${PATH}/%2F//b?x=%20&&y=%E4%B8%AD?` }],
  ['an empty query', { path: `${PATH}?` }],
  ['a POST', { method: 'POST', headers: JSON_TYPE, body: '{"msg":"你好"}' }],
  ['a POST without a body', { method: 'POST', headers: JSON_TYPE }],
  ['a form', { method: 'POST', headers: FORM_TYPE, body: '--Xx--' }],
  ['temporary credentials', {}, TEMPORARY],
  [
    'more headers',
    { headers: { ...JSON_TYPE, 'X-A': ' B  C ' } },
    { signedHeaders: ['X-A', 'Host', 'content-type'] },
  ],
])('the gateway accepts %s that the client signed', async (_, call, options) => {
  const { reply, served } = await callSigned(call, options);
  expect(reply).toMatchObject({ status: 200, json: { env: 'dev' } });
  expect(served).toEqual([call.body ?? '']);
});

test('the gateway refuses another body with the signature of the client', async () => {
  const { send } = await callSigned({ method: 'POST', headers: JSON_TYPE, body: '{"a":1}' });
  expect(await send('{"a":2}')).toMatchObject({
    status: 401,
    json: { code: 'INVALID_CREDENTIALS' },
  });
});

test.each([
  ['permanent', PERMANENT],
  ['temporary', TEMPORARY],
  ['provided', async () => TEMPORARY],
])('the storage API accepts %s credentials of the client', async (_, credentials) => {
  const deployment = await deploy(ENVIRONMENTS);
  const { authorization, sessionToken, timestamp } = await tc3Storage(credentials)(NOW);
  const headers = (token = '') => ({
    'X-Svc-Authorization': authorization,
    'X-Svc-SessionToken': token,
    'X-Svc-TimeStamp': String(timestamp),
  });
  expect(await deployment.storage('dev', headers(sessionToken))).toMatchObject({ status: 200 });
  expect(await deployment.storage('dev', headers('another'))).toMatchObject({ status: 401 });
});
