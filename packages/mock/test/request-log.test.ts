import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { createMock } from '../src/index.ts';
import { call } from './helpers/call.ts';
import { BEARER, control, gateway, gatewayPost, storage } from './helpers/calls.ts';
import { getLink, upload } from './helpers/upload.ts';

const mock = await createMock();
const session = mock.session();
afterAll(() => mock.close());
beforeEach(() => session.reset());

const api = (path: string) => control(mock, 'GET', path);
const HELLO = { path: '/v1/cloudrun/hello/a?x=1' };

test('logs a call with its result', async () => {
  const { headers } = await gatewayPost(mock, '/v1/cloudrun/echo', { a: '中' });
  const [json] = (await api('requests')).json.requests;
  expect(json).toMatchObject({
    id: headers['x-request-id'],
    at: expect.any(Number),
    surface: 'gateway',
    operationId: 'cloudrun-post-root',
    service: 'echo',
    matched: true,
    request: { method: 'POST', target: '/v1/cloudrun/echo', body: { text: '{"a":"中"}' } },
    response: {
      status: 200,
      ms: expect.any(Number),
      headers: { 'x-request-id': json.id },
      body: { text: expect.stringContaining('中') },
    },
    violations: [],
    faults: [],
  });
  const fileList = [{ srcPath: 1, dstPath: 2 }];
  await storage(mock, 'batchCopyFile', { data: { fileList } });
  const { requests } = (await api('requests?limit=1')).json;
  expect(requests).toMatchObject([
    {
      operationId: 'batchCopyFile',
      violations: [
        { in: 'body', pointer: '/data/fileList/0/srcPath', keyword: 'type' },
        { in: 'body', pointer: '/data/fileList/0/dstPath', keyword: 'type' },
      ],
    },
  ]);
});

test('credentials are not in any part of the log', async () => {
  const headers = { authorization: 'Bearer topsecret', cookie: 'a=topsecret' };
  await gateway(mock, { ...HELLO, headers });
  await storage(mock, 'batchDelete', { fileList: [] }, { 'x-svc-sessiontoken': 'topsecret' });
  const link = await getLink(mock, await upload(mock, 'a.txt', 'content'));
  await fetch(link);
  const { text, json } = await api('requests');
  const sign = new URL(link).searchParams.get('sign') as string;
  expect(json.requests).toHaveLength(6);
  expect(text).toContain('content');
  for (const secret of ['topsecret', sign, 'q-signature']) expect(text).not.toContain(secret);
  expect(JSON.stringify(session.requests())).not.toContain('topsecret');
});

test('a call that is waiting is in the log immediately, with the ID of its response', async () => {
  session.faults.put('slow', 'latency=1h,times=1');
  const stop = new AbortController();
  const pending = fetch(`${mock.url}/files/none`, { signal: stop.signal }).catch(() => {});
  await expect
    .poll(() => session.requests())
    .toMatchObject([{ surface: 'link', faults: ['slow'] }]);
  const [open] = session.requests();
  expect(open?.response).toBeUndefined();
  stop.abort();
  await pending;
  await expect.poll(() => session.requests()[0]?.response).toBeDefined();
  expect(session.requests()).toMatchObject([{ id: open?.id }]);
});

describe('unmatched calls', () => {
  const unmatched = async () =>
    (await api('requests?unmatched=true')).json.requests.map(
      (logged: { request: { method: string; target: string } }) =>
        `${logged.request.method} ${logged.request.target}`,
    );

  test('are paths and methods that nothing handles', async () => {
    await gateway(mock, HELLO);
    await gateway(mock, { path: '/v1/cloudruns/hello' });
    await storage(mock, 'batchDeleteXYZ', {});
    await call(mock, { method: 'PUT', path: '/v1/cloudrun/hello', headers: BEARER });
    expect(await unmatched()).toEqual([
      'GET /v1/cloudruns/hello',
      'POST /api/v2/envs/dev/storages:batchDeleteXYZ',
      'PUT /v1/cloudrun/hello',
    ]);
    expect(session.requests({ unmatched: true })).toHaveLength(3);
  });

  test('are not calls that are invalid, refused or preflights', async () => {
    await call(mock, { path: HELLO.path });
    await storage(mock, 'batchDelete', { fileList: 5 });
    await gateway(mock, { ...HELLO, headers: { 'x-mock-fault': 'code=SERVICE_NOT_FOUND' } });
    for (const path of ['/v1/cloudrun/hello', '/api/v2/envs/dev/storages:batchDelete', '/']) {
      expect((await call(mock, { method: 'OPTIONS', path })).status).toBe(204);
    }
    await fetch(await getLink(mock, await upload(mock, 'a.txt', 'x')));
    expect(await unmatched()).toEqual([]);
  });
});
