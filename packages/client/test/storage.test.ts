import { type StorageClient, unwrapEnvelope } from '@berth/client';
import defaults from '@berth/spec/defaults.json' with { type: 'json' };
import { describe, expect, it } from 'vitest';
import { credentials, failureOf, shown, storageWith } from './support/clients.ts';
import { endless, envelope, json, linked, list, meta } from './support/responses.ts';

type Act = (storage: StorageClient) => Promise<unknown>;

const DELETE = '/api/v2/envs/{envId}/storages:batchDelete';
const upload: Act = (storage) => storage.upload('a', 'b');
const remove: Act = (storage) => storage.delete('a');
const copy: Act = (storage) => storage.copy('/a', '/b');
const download: Act = (storage) => storage.download('a');
const rawDelete: Act = async (storage) =>
  unwrapEnvelope(await storage.POST(DELETE, { body: { fileList: ['a'] } }));

it.each<[string, Act, object]>([
  ['getUploadMetaData', upload, { path: 'a' }],
  ['batchGetTempUrls', (storage) => storage.tempUrls(['a']), { fileList: [{ fileID: 'a' }] }],
  ['batchDelete', remove, { fileList: ['a'] }],
  ['batchCopyFile', copy, { fileList: [{ srcPath: '/a', dstPath: '/b' }] }],
])(
  'CL-STORAGE-CALL CL-STORAGE-BODY CL-STORAGE-HEADERS: a call of %s',
  async (operation, call, body) => {
    const permanent = { authorization: '1.0 any', timestamp: 7 };
    const options = { envId: 'dev 1', credentials: permanent };
    const url = `https://storage.example/api/v2/envs/dev%201/storages:${operation}`;
    for (const requestForm of ['top', 'data'] as const) {
      const { storage, requests } = storageWith([list({})], { ...options, requestForm });
      await call(storage).catch(() => {});
      const [request] = requests;
      expect(request).toMatchObject({ method: 'POST', url });
      expect(Object.fromEntries(request?.headers ?? [])).toMatchObject({
        'content-type': 'application/json',
        'x-svc-sessiontoken': '',
        'x-svc-timestamp': '7',
      });
      expect(await request?.json()).toEqual(requestForm === 'data' ? { data: body } : body);
    }
  },
);

describe('the response of a storage call', () => {
  const data = { fileList: [{ fileID: 'a', code: 'SUCCESS' }], extra: 1 };
  it.each([
    ['CL-ENVELOPE', { statusCode: 200, body: { requestId: 'r', data, extra: 1 }, extra: 1 }],
    ['CL-ENVELOPE-FLAT', { requestId: 'r', data, extra: 1 }],
  ])('%s: is read', async (_, body) => {
    const { storage } = storageWith([json(body), json(body)]);
    await remove(storage);
    expect(await rawDelete(storage)).toEqual(data);
  });

  const refusal = { code: 'SYS_ERR', message: 'No.', requestId: 'r-9' };
  it.each<[string, unknown, number]>([
    ['an envelope', { statusCode: 200, body: refusal }, 200],
    ['an envelope', { statusCode: 500, body: refusal }, 500],
    ['the flat form', refusal, 200],
    ['an envelope with data', { statusCode: 500, body: { ...refusal, data } }, 200],
  ])('CL-ERROR-STORAGE: is an error in %s: %j with status %d', async (_, body, status) => {
    const { storage } = storageWith([json(body, { status }), json(body, { status })]);
    await expect(remove(storage)).rejects.toMatchObject({
      kind: 'storage',
      code: 'SYS_ERR',
      status,
      requestId: 'r-9',
      retryable: true,
      message: `a was not deleted: SYS_ERR, No. (POST /api/v2/envs/dev/storages:batchDelete, status ${status}, request ID r-9)`,
    });
    await expect(rawDelete(storage)).rejects.toThrow('The storage call failed: SYS_ERR, No.');
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
    const error = await failureOf(remove(storage));
    expect(error).toMatchObject({ kind: 'storage', code: undefined, status });
    expect(String(error)).toContain('the response is malformed');
    expect(shown(error)).not.toContain('5ec4e7');
  });

  it('CL-SIZE-BODY: is an error if it has no end', async () => {
    const { body, count } = endless();
    const { storage } = storageWith([new Response(body)]);
    await expect(storage.tempUrl('a')).rejects.toMatchObject({ kind: 'storage', status: 200 });
    expect(count()).toBeLessThan(32);
  });
});

const move: Act = (storage) => storage.move('/a', '/b');
const rows = (column: string, ...failures: (number | 'lost' | object)[]) =>
  failures.map((failure) => [column, failure] as const);

// An object is a response with its status, or 200.
it.each([
  ...defaults.storageErrors.flatMap(({ retry, ...error }) =>
    error.level === 'call' ? rows(retry, error) : [],
  ),
  ...rows('any', 429),
  ...rows('idempotent', 'lost', 500, 502, 503, 504),
  ...rows('idempotent', { code: 'SYS_ERR' }, { code: 'EXCEED_RATELIMIT' }),
  ...rows('idempotent', { statusCode: 503, body: { code: 'SERVICE_UNAVAILABLE' } }),
  ...rows('idempotent', { statusCode: 502, body: { code: 'OTHER' } }),
  ...rows('never', 400, 403, 404, 409, 501, { statusCode: 404, body: { code: 'INVALID_ENV' } }),
])('CL-RETRY-STORAGE: a call may be repeated: %s, after %j', async (column, failure) => {
  const respond = () => {
    if (failure === 'lost') return new Error('reset');
    if (typeof failure === 'object') return json(failure, { status: 200, ...failure });
    return new Response('<html>', { status: failure as number });
  };
  const count = async (call: Act) => {
    const retry = { attempts: 2, delay: 0 };
    const { storage, requests } = storageWith([respond(), respond()], { retry });
    const kind = failure === 'lost' ? 'network' : 'storage';
    const error = { kind, retryable: column !== 'never' };
    await expect(call(storage)).rejects.toMatchObject(error);
    return requests.length;
  };
  expect(await count((storage) => storage.tempUrl('a'))).toBe(column === 'never' ? 1 : 2);
  for (const change of [remove, copy, move, rawDelete]) {
    expect(await count(change)).toBe(column === 'any' ? 2 : 1);
  }
});

describe('no credential shows in', () => {
  const granted = (fields: object) => envelope({ data: { ...meta, ...fields } });
  const sessionToken = '5ec4e7\n5ec4e7';
  const broken = { credentials: { ...credentials, sessionToken } };
  it.each<[string, Act, Response[], object?, string?]>([
    ['half a grant', upload, [granted({ storeFileID: undefined })]],
    ['a grant in broken JSON', upload, [new Response(`{"data":{"token":"${meta.token}" oops`)]],
    ['a grant without a URL', upload, [granted({ url: '5ec4e7' })]],
    ['a grant with a password', upload, [granted({ url: 'https://user:5ec4e7@u.example/' })]],
    ['a lost upload', upload, [granted({ url: 'http://127.0.0.1:1/?sign=5ec4e7' })]],
    ['a refused download', download, [linked('https://h/a?s=5ec4e7'), json({}, { status: 403 })]],
    ['a link that is not a URL', download, [linked('//5ec4e7')]],
    ['a link with a password', download, [linked('https://user:5ec4e7@h/')]],
    ['a credential that is no header value', remove, [], broken, 'X-Svc-SessionToken'],
  ])('the client, or the error of %s', async (_, act, responses, options, text = 'BerthError') => {
    const { storage } = storageWith(responses, { retry: false, ...options });
    const error = await failureOf(act(storage));
    expect(shown(error)).toContain(text);
    expect(shown(error) + shown(storage)).not.toContain('5ec4e7');
  });

  it('the message of a fetch that quotes its URL', async () => {
    const lost = new Error('request to https://h/a?sign=5ec4e7 failed, reason: reset');
    const { storage } = storageWith([linked('https://h/a?sign=5ec4e7'), lost], { retry: false });
    const message = 'No response: request to https://h/a failed, reason: reset (GET /a)';
    await expect(download(storage)).rejects.toMatchObject({ message, cause: lost });
  });
});
