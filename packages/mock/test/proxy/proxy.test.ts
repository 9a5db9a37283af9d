import { createHash, randomBytes } from 'node:crypto';
import type { IncomingHttpHeaders, RequestListener } from 'node:http';
import { gzipSync } from 'node:zlib';
import { afterAll, describe, expect, test } from 'vitest';
import { createMock, type Mock } from '../../src/index.ts';
import { call } from '../helpers/call.ts';
import { gateway, storage } from '../helpers/calls.ts';
import { sendRaw } from '../helpers/raw.ts';
import { getGrant, getLink, postForm, read, toForm, upload } from '../helpers/upload.ts';
import { startDeployment } from './start-deployment.ts';

const deployment = await createMock({ auth: 'strict' });
const credentials = await deployment.credentials();
const open = await createMock();
const mock = await createMock({ proxy: open.url });
afterAll(() => Promise.all([deployment.close(), open.close(), mock.close()]));

/** Starts a proxy in front of a deployment with these responses. */
async function startBetween(listener: RequestListener) {
  const deployment = await startDeployment(listener);
  const between = await createMock({ proxy: deployment.url });
  return {
    ...between,
    async [Symbol.asyncDispose]() {
      await between.close();
      await deployment[Symbol.asyncDispose]();
    },
  };
}

const last = (of: Pick<Mock, 'session'> = mock) => of.session().requests().at(-1);

describe('in front of a deployment that follows the contract', () => {
  test('forwards a gateway call unchanged, including the raw path and query', async () => {
    const path = '/v1/cloudrun/echo/a%2Fb//%E4%B8%AD?x=%20&y';
    const reply = await gateway(mock, { path });
    expect(reply.status).toBe(200);
    expect(open.session().requests().at(-1)?.request.target).toBe(path);
    expect(last()).toMatchObject({
      operationId: 'cloudrun-get',
      service: 'echo',
      matched: true,
      id: reply.headers['x-request-id'],
      violations: [],
      responseViolations: [],
    });
  });

  test('credentials reach the deployment, which verifies them', async () => {
    await using strict = await createMock({ proxy: deployment.url });
    const path = '/v1/cloudrun/hello';
    expect((await gateway(strict, { path })).status).toBe(401);
    const headers = { authorization: `Bearer ${credentials.token}` };
    expect((await gateway(strict, { path, headers })).status).toBe(200);
    const found = strict.session().requests();
    expect(found.flatMap((one) => [...one.violations, ...one.responseViolations])).toEqual([]);
  });

  test('both steps of an upload, the link, the copy and the deletion go through the mock', async () => {
    const fileID = await upload(mock, 'proxied/中.txt', 'content');
    const link = await getLink(mock, fileID);
    expect(link.startsWith(`${mock.url}/files/`)).toBe(true);
    expect(await (await fetch(link)).text()).toBe('content');
    expect((await fetch(link, { headers: { range: 'bytes=1-2' } })).status).toBe(206);
    await storage(mock, 'batchDelete', { fileList: [fileID] });
    expect(await read(open, fileID)).toBeUndefined();
    const seen = mock.session().requests();
    expect(new Set(seen.map(({ surface }) => surface))).toContain('upload');
    expect(seen.flatMap((one) => [...one.violations, ...one.responseViolations])).toEqual([]);
  });

  test('URLs issued by storage belong to their session, and each grant is separate', async () => {
    const headers = { 'x-mock-session': 'worker' };
    const reply = await storage(mock, 'getUploadMetaData', { path: 'a.txt' }, headers);
    const grant = reply.json.body.data;
    expect(grant.url).toMatch(/\?sign=[\w-]+&session=worker$/);
    expect((await postForm(grant.url, toForm(grant, 'a.txt'), new Blob(['a']))).status).toBe(204);
    expect(mock.session('worker').requests()).toHaveLength(2);
    expect((await postForm(`${mock.url}/`, toForm(grant, 'a.txt'), new Blob(['a']))).status).toBe(
      403,
    );
    expect((await fetch(`${mock.url}/files/a.txt?sign=unknown`)).status).toBe(403);
  });

  test('a large upload arrives byte for byte', async () => {
    const bytes = randomBytes(5_000_000);
    const grant = await getGrant(mock, 'large.bin');
    expect((await postForm(grant.url, toForm(grant, 'large.bin'), new Blob([bytes]))).status).toBe(
      204,
    );
    const link = await getLink(mock, grant.fileID);
    const received = Buffer.from(await (await fetch(link)).arrayBuffer());
    const hash = (data: Buffer) => createHash('sha256').update(data).digest('hex');
    expect(hash(received)).toBe(hash(bytes));
  });

  test('the deployment handles preflights', async () => {
    const path = '/api/v2/envs/dev/storages:batchDelete';
    const reply = await call(mock, {
      method: 'OPTIONS',
      path,
      headers: { origin: 'http://localhost' },
    });
    expect(reply.status).toBe(204);
    expect(reply.headers['access-control-allow-origin']).toBe('http://localhost');
  });

  test('applies faults to forwarded calls', async () => {
    const headers = { 'x-mock-fault': 'code=SERVICE_TIMEOUT' };
    const before = open.session().requests().length;
    expect((await gateway(mock, { path: '/v1/cloudrun/hello', headers })).status).toBe(504);
    expect(open.session().requests()).toHaveLength(before);
  });
});

describe('a request that breaks the contract', () => {
  test('is still forwarded, and reported with all violations', async () => {
    const fileList = [{ fileID: 4 }, { maxAge: 'x' }];
    const { status } = await storage(mock, 'batchGetTempUrls', { fileList });
    expect(status).toBe(400);
    expect(open.session().requests().at(-1)?.violations.length).toBeGreaterThan(0);
    const found = last();
    expect(found?.operationId).toBe('batchGetTempUrls');
    expect(found?.violations.map(({ pointer }) => pointer)).toContain('/fileList/0/fileID');
    expect(found?.responseViolations).toEqual([]);
  });

  test.each([
    ['POST', '/api/v2/envs/dev/storages:batchDeleteXYZ', 'not-found'],
    ['GET', '/api/v2/envs/dev/storages:batchDelete', 'method-not-allowed'],
    ['GET', '/v2/nothing', 'not-found'],
  ])('%s %s is not an operation', async (method, path, keyword) => {
    await call(mock, { method, path });
    expect(last()).toMatchObject({ matched: false, violations: [{ keyword }] });
  });

  test('a form without its key', async () => {
    const grant = await getGrant(mock, 'b.txt');
    const { key: _, ...fields } = toForm(grant, 'b.txt');
    expect((await postForm(grant.url, fields, new Blob(['a']))).status).toBe(400);
    expect(last()?.violations).toMatchObject([{ in: 'body', keyword: 'MalformedPOSTRequest' }]);
  });
});

describe('a deployment that breaks the contract', () => {
  const JSON_TYPE = { 'content-type': 'application/json', 'x-request-id': 'one' };
  const storageBody = (data: unknown) =>
    JSON.stringify({ statusCode: 200, body: { requestId: 'one', data } });

  test.each([
    [
      'an entry without its code',
      200,
      JSON_TYPE,
      storageBody({ fileList: [{ fileID: 3 }] }),
      '/body',
    ],
    ['no JSON', 500, { 'content-type': 'text/html' }, '<html>', '/body'],
    ['the flat form', 200, JSON_TYPE, '{"requestId":"one","data":{}}', '/body'],
  ])('storage: %s', async (_, status, headers, body, pointer) => {
    await using between = await startBetween((_request, response) =>
      response.writeHead(status, headers).end(body),
    );
    const raw = await fetch(`${between.url}/api/v2/envs/dev/storages:batchDelete`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ fileList: ['cloud://dev.files/a'] }),
    });
    expect([raw.status, await raw.text()]).toEqual([status, body]);
    const found = last(between);
    expect(found?.violations).toEqual([]);
    expect(found?.responseViolations.length).toBeGreaterThan(0);
    expect(found?.responseViolations[0]?.pointer.startsWith(pointer)).toBe(true);
  });

  test.each([
    ['no X-Request-Id', 200, { 'content-disposition': 'attachment' }, 'x', 'required'],
    ['no Content-Disposition', 200, { 'x-request-id': 'one' }, 'x', 'disposition'],
    [
      'an identifier of another call',
      404,
      JSON_TYPE,
      '{"code":"SERVICE_NOT_FOUND","message":"m","requestId":"two"}',
      'const',
    ],
    [
      'an error without message',
      404,
      JSON_TYPE,
      '{"code":"SERVICE_NOT_FOUND","requestId":"one"}',
      'required',
    ],
  ])('gateway: %s', async (_, status, headers, body, keyword) => {
    await using between = await startBetween((_request, response) =>
      response.writeHead(status, { 'content-type': 'text/plain', ...headers }).end(body),
    );
    const reply = await fetch(`${between.url}/v1/cloudrun/hello`);
    expect([reply.status, await reply.text()]).toEqual([status, body]);
    expect(last(between)?.responseViolations.map((one) => one.keyword)).toEqual([keyword]);
  });

  test('a service may return anything', async () => {
    const headers = {
      'content-type': 'application/json',
      'x-request-id': 'one',
      'content-disposition': 'attachment',
      'x-svc-upstream-status-code': '404',
    };
    await using between = await startBetween((_, response) =>
      response.writeHead(404, headers).end('{"code":1,"message":2}'),
    );
    await fetch(`${between.url}/v1/cloudrun/hello`);
    expect(last(between)?.responseViolations).toEqual([]);
  });

  test('passes a redirect to the caller without following it', async () => {
    const asked: string[] = [];
    await using wrong = await startDeployment((incoming, response) => {
      asked.push(incoming.url ?? '');
      response.writeHead(302, { location: '/v1/cloudrun/other' }).end();
    });
    await using between = await createMock({ proxy: wrong.url });
    const reply = await fetch(`${between.url}/v1/cloudrun/a`, { redirect: 'manual' });
    expect([reply.status, reply.headers.get('location')]).toEqual([302, '/v1/cloudrun/other']);
    expect(asked).toEqual(['/v1/cloudrun/a']);
  });

  test("reports a deployment that is down in the contract's format", async () => {
    const { url, close } = await createMock();
    await close();
    await using between = await createMock({ proxy: url });
    const { status, json } = await gateway(between, { path: '/v1/cloudrun/hello' });
    expect([status, json.code]).toEqual([502, 'BAD_GATEWAY']);
    expect((await storage(between, 'batchDelete', { fileList: ['a'] })).status).toBe(503);
  });
});

describe('what HTTP allows', () => {
  test('a client that waits for 100 Continue receives it', async () => {
    const body = '{"a":1}';
    const reply = await sendRaw(
      mock,
      `POST /v1/cloudrun/hello HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer any\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\nExpect: 100-continue\r\n\r\n`,
      body,
    );
    expect(reply).toMatch(/^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 (200|400) /);
  });

  test('keeps the reason, repeated headers, bytes beyond ASCII and an encoded body', async () => {
    let received: IncomingHttpHeaders = {};
    const coded = gzipSync('{"code":"SYS_ERR"}');
    await using real = await startDeployment((request, response) => {
      received = request.headers;
      const headers = ['X-Request-Id', 'one', 'X-A', '1', 'X-A', '2', 'X-B', 'b\xe4'];
      headers.push('Content-Encoding', 'gzip', 'Content-Type', 'application/json');
      response.writeHead(500, 'Broken Here', headers).end(coded);
    });
    await using between = await createMock({ proxy: real.url });
    const reply = await sendRaw(
      between,
      'POST /v1/cloudrun/a HTTP/1.1\r\nHost: a\r\nConnection: close, X-Hop\r\nX-Hop: 1\r\nX-Mock-Fault: latency=0\r\nX-Own: 1\r\nContent-Length: 0\r\n\r\n',
    );
    expect(reply).toMatch(/^HTTP\/1\.1 500 Broken Here\r\n/);
    expect(reply).toContain('X-A: 1\r\nX-A: 2\r\nX-B: b\xe4\r\n');
    expect(reply).toContain(coded.toString('latin1'));
    expect(last(between)?.responseViolations).toEqual([]);
    expect(received).toHaveProperty('x-own');
    for (const name of ['x-hop', 'x-mock-fault']) expect(received).not.toHaveProperty(name);
  });
});

describe('where it goes', () => {
  test('gateway and storage may be separate, below a path, and get their own Host', async () => {
    const asked: string[] = [];
    const note = (name: string) =>
      startDeployment(({ url, headers }, response) => {
        asked.push(`${name} ${url} ${headers.host} ${headers['x-mock-session']}`);
        response.end();
      });
    await using one = await note('gateway');
    await using other = await note('storage');
    await using between = await createMock({
      proxy: { gateway: `${one.url}/base/`, storage: other.url },
    });
    const headers = { 'x-mock-session': 'a' };
    await fetch(`${between.url}/v1/cloudrun/hello?x=1`, { headers });
    await fetch(`${between.url}/api/v2/envs/dev/storages:batchDelete`, { method: 'POST', headers });
    expect(asked).toEqual([
      `gateway /base/v1/cloudrun/hello?x=1 ${new URL(one.url).host} undefined`,
      `storage /api/v2/envs/dev/storages:batchDelete ${new URL(other.url).host} undefined`,
    ]);
  });

  test('a URL of another host gets no credentials', async () => {
    const asked: unknown[] = [];
    await using store = await startDeployment(({ headers, url }, response) => {
      asked.push([url, headers.authorization, headers.cookie, headers['x-svc-authorization']]);
      response.end('bytes');
    });
    const real = `${store.url}/bucket/a%20b.txt?q-signature=abc&x=%2F`;
    const data = { fileList: [{ fileID: 'a', tempFileURL: real, code: 'SUCCESS' }] };
    const body = JSON.stringify({ statusCode: 200, body: { requestId: 'one', data } });
    await using api = await startDeployment((_, response) =>
      response.writeHead(200, { 'content-type': 'application/json' }).end(body),
    );
    await using between = await createMock({ proxy: api.url });
    const link = await getLink(between, 'a');
    expect(link).toMatch(new RegExp(`^${between.url}/files/bucket/a%20b.txt\\?sign=`));
    const secret = { authorization: 'Bearer s', cookie: 'a=s', 'x-svc-authorization': '1.0 s' };
    expect(await (await fetch(link, { headers: secret })).text()).toBe('bytes');
    expect(asked).toEqual([
      ['/bucket/a%20b.txt?q-signature=abc&x=%2F', undefined, undefined, undefined],
    ]);
  });

  test.each(['ftp://a.b', 'nothing', 'http://user:secret@a.b', 'http://a.b/?x=1'])(
    'rejects %s as the URL of a deployment',
    async (proxy) => {
      await expect(createMock({ proxy })).rejects.toThrow(/proxy\.gateway/);
    },
  );
});
