import { BerthError, type StorageClient, tc3Storage, unwrapEnvelope } from '@berth/client';
import { afterEach, describe, expect, it, vi } from 'vitest';
import {
  credentials,
  envelope,
  failureOf,
  json,
  list,
  meta,
  shown,
  storageAt,
  storageWith,
} from './support/clients.ts';
import { startServer } from './support/servers.ts';

const DELETE = '/api/v2/envs/{envId}/storages:batchDelete';
const deleted = (fileID = 'a') => ({ fileID, code: 'SUCCESS' });
const linked = (tempFileURL = 'https://h/a') => list({ fileID: 'a', code: 'SUCCESS', tempFileURL });

const OPERATIONS: [string, (storage: StorageClient) => Promise<unknown>, object][] = [
  ['getUploadMetaData', (storage) => failureOf(storage.upload('a', 'b')), { path: 'a' }],
  ['batchGetTempUrls', (storage) => storage.tempUrls(['a']), { fileList: [{ fileID: 'a' }] }],
  ['batchDelete', (storage) => storage.delete(['a']), { fileList: ['a'] }],
  [
    'batchCopyFile',
    (storage) => storage.copy([{ srcPath: '/a', dstPath: '/b' }]),
    { fileList: [{ srcPath: '/a', dstPath: '/b' }] },
  ],
];

afterEach(() => void vi.useRealTimers());

describe('a storage call', () => {
  it.each(OPERATIONS)('CL-STORAGE-CALL CL-STORAGE-BODY: %s', async (operation, call, body) => {
    const url = `https://storage.example/api/v2/envs/dev%201/storages:${operation}`;
    for (const requestForm of ['top', 'data'] as const) {
      const { storage, requests } = storageWith([list({})], { envId: 'dev 1', requestForm });
      await call(storage);
      const [request] = requests;
      expect(request).toMatchObject({ method: 'POST', url });
      expect(request?.headers.get('Content-Type')).toBe('application/json');
      expect(await request?.json()).toEqual(requestForm === 'data' ? { data: body } : body);
    }
  });

  it('CL-STORAGE-HEADERS CL-STORAGE-SIGNATURE CL-SECRETS: is signed with a key pair', async () => {
    vi.useFakeTimers({ now: 1_700_000_000_999, toFake: ['Date'] });
    const keyPair = { secretId: 'id', secretKey: 'key-5ec4e7', token: 'token-5ec4e7' };
    const { storage, requests } = storageWith([list({})], { credentials: tc3Storage(keyPair) });
    await storage.tempUrls(['a']);
    const { url, headers } = requests[0] as Request;
    expect(Object.fromEntries(headers)).toEqual({
      'content-type': 'application/json',
      'x-svc-authorization': expect.stringMatching(
        /^1\.0 TC3-HMAC-SHA256 Credential=id\/.*, Signature=[0-9a-f]{64}$/,
      ),
      'x-svc-sessiontoken': 'token-5ec4e7',
      'x-svc-timestamp': '1700000000',
    });
    expect(url + (await requests[0]?.text())).not.toContain('5ec4e7');
  });

  it('CL-STORAGE-HEADERS: has an empty session token if there is none', async () => {
    const permanent = { authorization: '1.0 any', timestamp: 7 };
    const { storage, requests } = storageWith([list(deleted())], { credentials: permanent });
    await storage.delete('a');
    expect(requests[0]?.headers.get('X-Svc-SessionToken')).toBe('');
    expect(requests[0]?.headers.get('X-Svc-TimeStamp')).toBe('7');
  });

  it('CL-REDIRECT-CREDENTIALS: does not follow a redirect', async () => {
    const seen: string[] = [];
    await using there = await startServer((request, response) => {
      seen.push(request.url ?? '');
      response.end();
    });
    await using here = await startServer((_, response) => {
      response.writeHead(307, { Location: `${there.url}/there` }).end();
    });
    for (const call of ['delete', 'tempUrl'] as const) {
      const error = await failureOf(storageAt(here.url)[call]('a'));
      expect(error).toMatchObject({ kind: 'storage', status: 307 });
    }
    expect(seen).toEqual([]);
  });
});

describe('the response of a storage call', () => {
  const data = { fileList: [deleted()], extra: 1 };
  it.each([
    ['CL-ENVELOPE', { statusCode: 200, body: { requestId: 'r', data, extra: 1 }, extra: 1 }],
    ['CL-ENVELOPE-FLAT', { requestId: 'r', data, extra: 1 }],
  ])('%s: is read', async (_, body) => {
    await storageWith([json(body)]).storage.delete('a');
    const { storage } = storageWith([json(body)]);
    const result = await storage.POST(DELETE, { body: { fileList: ['a'] } });
    expect(unwrapEnvelope(result)).toEqual(data);
  });

  const refusal = { code: 'SYS_ERR', message: 'No.', requestId: 'r-9' };
  it.each<[string, unknown, number]>([
    ['an envelope', { statusCode: 200, body: refusal }, 200],
    ['an envelope', { statusCode: 500, body: refusal }, 500],
    ['the flat form', refusal, 200],
    ['an envelope with data', { statusCode: 500, body: { ...refusal, data } }, 200],
  ])('CL-ERROR-STORAGE: is an error in %s: %j with status %d', async (_, body, status) => {
    const error = {
      kind: 'storage',
      code: 'SYS_ERR',
      status,
      requestId: 'r-9',
      retryable: true,
      message: `a was not deleted: SYS_ERR, No. (POST /api/v2/envs/dev/storages:batchDelete, status ${status}, request ID r-9)`,
    };
    expect(
      await failureOf(storageWith([json(body, { status })]).storage.delete('a')),
    ).toMatchObject(error);
    const { storage } = storageWith([json(body, { status })]);
    const result = await storage.POST(DELETE, { body: { fileList: ['a'] } });
    expect(() => unwrapEnvelope(result)).toThrow('The storage call failed: SYS_ERR, No.');
  });

  it.each<[string, string, number]>([
    ['CL-ERROR-HTML', '<html>5ec4e7</html>', 502],
    ['CL-ERROR-HTML', '<html>5ec4e7</html>', 200],
    ['CL-ERROR-JSON', '{"data": 5ec4e7', 200],
    ['CL-ERROR-JSON', '"5ec4e7"', 200],
    ['CL-ERROR-JSON', '{"data": null}', 200],
    ['CL-ERROR-JSON', '', 200],
    ['An error status with data', '{"data":{"fileList":[{"fileID":"a","code":"SUCCESS"}]}}', 502],
  ])('%s: is an error if it is %j with status %d', async (_, text, status) => {
    const { storage } = storageWith([new Response(text, { status })]);
    const error = await failureOf(storage.delete('a'));
    expect(error).toMatchObject({ kind: 'storage', code: undefined, status });
    expect(String(error)).toContain('the response is malformed');
    expect(shown(error)).not.toContain('5ec4e7');
  });

  it.each([
    [3, { statusCode: 503, body: { code: 'SERVICE_UNAVAILABLE' } }],
    [3, { statusCode: 502, body: { code: 'OTHER' } }],
    [3, { code: 'SYS_ERR' }],
    [1, { statusCode: 404, body: { code: 'INVALID_ENV' } }],
  ])('is retried by its own status and code: %d calls for %j', async (calls, body) => {
    const responses = Array.from({ length: 3 }, () => json(body));
    const { storage, requests } = storageWith(responses, { retry: { delay: 1 } });
    const error = { kind: 'storage', status: 200, retryable: calls > 1 };
    expect(await failureOf(storage.tempUrl('a'))).toMatchObject(error);
    expect(requests).toHaveLength(calls);
    const { storage: other, requests: others } = storageWith([json(body)]);
    expect(await failureOf(other.delete('a'))).toMatchObject(error);
    expect(others).toHaveLength(1);
  });

  it('CL-SIZE-BODY: is an error if it has no end', async () => {
    let sent = 0;
    await using served = await startServer((_, response) => {
      const piece = Buffer.alloc(1_048_576, ' ');
      const go = () => {
        sent += piece.length;
        // Enough to fail the test without the limit.
        if (sent < 2 ** 28) response.write(piece, (error) => error ?? go());
        else response.destroy();
      };
      response.writeHead(200, { 'Content-Type': 'application/json' });
      go();
    });
    const error = await failureOf(storageAt(served.url).tempUrl('a'));
    expect(error).toMatchObject({ kind: 'storage', status: 200 });
    expect(sent).toBeLessThan(2 ** 25);
  });
});

describe('a call that failed', () => {
  const CHANGES: ((storage: StorageClient) => Promise<unknown>)[] = [
    (storage) => storage.delete('a'),
    (storage) => storage.copy('/a', '/b'),
    (storage) => storage.move('/a', '/b'),
    async (storage) => unwrapEnvelope(await storage.POST(DELETE, { body: { fileList: ['a'] } })),
  ];
  const rows = (column: string, ...failures: (number | 'lost')[]) =>
    failures.map((failure) => [column, failure] as const);

  it.each([
    ...rows('any', 429),
    ...rows('idempotent', 'lost', 500, 502, 503, 504),
    ...rows('never', 400, 403, 404, 409, 501),
  ])('CL-RETRY-STORAGE: may be repeated, %s call after %s', async (column, failure) => {
    const response = () =>
      failure === 'lost' ? new Error('reset') : new Response('<html>', { status: failure });
    const count = async (call: (storage: StorageClient) => Promise<unknown>) => {
      const retry = { attempts: 2, delay: 0 };
      const { storage, requests } = storageWith([response(), response()], { retry });
      const kind = failure === 'lost' ? 'network' : 'storage';
      const error = { kind, retryable: column !== 'never' };
      expect(await failureOf(call(storage))).toMatchObject(error);
      return requests.length;
    };
    expect(await count((storage) => storage.tempUrl('a'))).toBe(column === 'never' ? 1 : 2);
    for (const change of CHANGES) expect(await count(change)).toBe(column === 'any' ? 2 : 1);
  });
});

it('the reason of an abort keeps its stack, even if it is an error of the client', async () => {
  const { storage } = storageWith([new Error('reset')], { retry: false });
  const reason = (await failureOf(storage.delete('a'))) as Error;
  const { stack } = reason;
  const signal = AbortSignal.abort(reason);
  expect(await failureOf(storage.tempUrl('b', { signal }))).toBe(reason);
  expect(reason.stack).toBe(stack);
});

describe('a raw call', () => {
  it('may name another environment, and passes through middleware like all calls', async () => {
    const { storage, requests } = storageWith([list(), list(deleted()), list(deleted())]);
    const tracing = {
      onRequest: ({ request }: { request: Request }) => request.headers.set('traceparent', '1'),
    };
    storage.use(tracing);
    const params = { path: { envId: 'test' } };
    const { data } = await storage.POST(DELETE, { params, body: { fileList: ['a'] } });
    expect(data?.body.data?.fileList).toEqual([]);
    await storage.delete('a');
    storage.eject(tracing);
    await storage.delete('a');
    expect(requests[0]?.url).toContain('/envs/test/storages:batchDelete');
    expect(requests.map(({ headers }) => headers.get('traceparent'))).toEqual(['1', '1', null]);
    expect(await requests[1]?.json()).toEqual({ fileList: ['a'] });
  });

  it('fails once with the error of middleware, however its response was sent', async () => {
    const chunked = new Response(new Blob(['{}']).stream());
    const { storage, requests } = storageWith([chunked]);
    const boom = new BerthError('network', 'boom', { retryable: true });
    storage.use({
      onResponse() {
        throw boom;
      },
    });
    expect(await failureOf(storage.tempUrl('a'))).toBe(boom);
    expect(requests).toHaveLength(1);
  });
});

describe('no credential shows in', () => {
  type Act = (storage: StorageClient) => Promise<unknown>;
  const upload: Act = (storage) => storage.upload('a.txt', 'hello');
  const download: Act = (storage) => storage.download('a');
  const granted = (fields: object) => envelope({ data: { ...meta, ...fields } });
  const unsigned = new Response('', { status: 403 });
  it.each<[string, Act, Response[]]>([
    ['half a grant', upload, [granted({ storeFileID: undefined })]],
    ['a grant in broken JSON', upload, [new Response(`{"data":{"token":"${meta.token}" oops`)]],
    ['a grant without a URL', upload, [granted({ url: '5ec4e7' })]],
    ['a grant with a password', upload, [granted({ url: 'https://user:5ec4e7@u.example/' })]],
    ['a lost upload', upload, [granted({ url: 'http://127.0.0.1:1/?sign=5ec4e7' })]],
    ['a refused download', download, [linked('https://h/a?sign=5ec4e7'), unsigned]],
    ['a link that is not a URL', download, [linked('//5ec4e7')]],
    ['a link with a password', download, [linked('https://user:5ec4e7@h/')]],
  ])('the error of %s', async (_, act, responses) => {
    const error = await failureOf(act(storageWith(responses, { retry: false }).storage));
    expect(shown(error)).toContain('BerthError');
    expect(shown(error)).not.toContain('5ec4e7');
  });

  it('the message of a fetch that quotes its URL', async () => {
    const lost = new Error('request to https://h/a?sign=5ec4e7 failed, reason: reset');
    const { storage } = storageWith([linked('https://h/a?sign=5ec4e7'), lost], { retry: false });
    const message = 'No response: request to https://h/a failed, reason: reset (GET /a)';
    expect(await failureOf(storage.download('a'))).toMatchObject({ message, cause: lost });
  });

  it('the error for a credential that is not valid in a header, or in the client', async () => {
    const sessionToken = '5ec4e7\n5ec4e7';
    const { storage } = storageWith([], { credentials: { ...credentials, sessionToken } });
    const error = await failureOf(storage.delete('a'));
    expect(error).toMatchObject({ kind: 'options' });
    expect(shown(error)).toContain('X-Svc-SessionToken');
    expect(shown(error) + shown(storage)).not.toContain('5ec4e7');
  });
});
