// `other-implementation.test.ts` shows that the second server follows the contract. These tests check that
// it differs from the reference server as its README says; otherwise it would prove nothing.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Fixture, startFixture } from '../fixture/server.mjs';
import { type SecondServer, startSecondServer } from './second-server/start-second-server.ts';
import { type Call, call } from './second-server/support/call.ts';

let fixture: Fixture;
let server: SecondServer;
beforeAll(async () => {
  fixture = await startFixture({ port: 0 });
  const services = { hello: fixture.url, dead: 'http://127.0.0.1:1' };
  server = await startSecondServer({ services });
});
afterAll(async () => {
  await server.close();
  await fixture.close();
});

describe('the gateway', () => {
  const invoke = (target: string, { headers, ...rest }: Call = {}) =>
    call(server.gatewayUrl + target, {
      headers: { Host: server.gatewayHost, Authorization: `Bearer ${server.token}`, ...headers },
      ...rest,
    });
  const hello = '/v1/cloudrun/hello';
  const post = { method: 'POST', headers: { 'Content-Type': 'text/plain' } };

  test.each<[string, number, string, string, Call]>([
    ['no credentials', 400, 'NO_AUTH', hello, { headers: { Authorization: '' } }],
    ['a wrong token', 400, 'BAD_TOKEN', hello, { headers: { Authorization: 'Bearer x' } }],
    ['no key', 412, 'BAD_SIGNATURE', hello, { headers: { Authorization: 'TC3-HMAC-SHA256' } }],
    ['a loopback host', 421, 'WRONG_HOST', hello, { headers: { Host: '127.0.0.1' } }],
    ['a short name', 422, 'BAD_NAME', '/v1/cloudrun/h', {}],
    ['a dead service', 500, 'UPSTREAM_BROKEN', '/v1/cloudrun/dead', {}],
    ['another path', 400, 'NO_ROUTE', '/v2/cloudrun/hello', {}],
    ['text', 406, 'TYPE_REFUSED', hello, { ...post, body: 'a' }],
    ['3 MB', 400, 'BODY_TOO_BIG', hello, { ...post, body: Buffer.alloc(3_000_000) }],
    ['OPTIONS', 501, 'VERB_UNKNOWN', hello, { method: 'OPTIONS' }],
  ])('refuses %s with %i %s', async (_, status, code, path, sent) => {
    const { headers, ...received } = await invoke(path, sent);
    expect(received.status).toBe(status);
    expect(headers).not.toHaveProperty('content-disposition');
    const requestId = headers['x-request-id'];
    expect(requestId).toMatch(/^2nd-[0-9a-z]+$/);
    const body = { code, message: expect.any(String), requestId, origin: 'second' };
    expect(JSON.parse(received.text)).toEqual(body);
  });

  const own = 'attachment; filename="x"';
  test.each<[string, string, string[], Call]>([
    ['a file of the service', 'type=a/b&header=Content-Disposition:a', ['a', own], {}],
    ['a GET', 'type=text/html&header=Content-Disposition:inline', [own], {}],
    ['a 404', 'status=404', [own], {}],
    ['a 204', 'status=204', [], {}],
    ['a POST without a type', '', [], { method: 'POST' }],
    ['an event stream', 'type=text/event-stream', [own], { method: 'POST' }],
    [
      'an event stream for a caller that accepts it',
      'type=text/event-stream',
      [],
      { headers: { Accept: 'text/event-stream' } },
    ],
  ])('sends its Content-Disposition with %s', async (_, query, expected, sent) => {
    const { rawHeaders } = await invoke(`${hello}/respond?${query}`, sent);
    const isDisposition = (name = '') => /^content-disposition$/i.test(name);
    const values = rawHeaders.filter((_, at) => at % 2 === 1 && isDisposition(rawHeaders[at - 1]));
    expect(values).toEqual(expected);
  });

  test("forwards dot segments and the caller's X-Request-Id", async () => {
    const { text } = await invoke(`${hello}/a/../b`, { headers: { 'X-Request-Id': 'mine' } });
    const { target, headers } = JSON.parse(text);
    expect(target).toBe('/a/../b');
    expect(headers).toContainEqual(['X-Request-Id', 'mine']);
  });
});

/** Makes a storage call with its fields in `data`. */
async function operate(operation: string, data: object) {
  const url = `${server.storageUrl}/api/v2/envs/${server.env}/storages:${operation}`;
  const headers = server.storageHeaders;
  const { status, text } = await call(url, {
    method: 'POST',
    headers,
    body: JSON.stringify({ data }),
  });
  return { status, ...JSON.parse(text) };
}

/** Uploads a file; returns its ID, the response, and the link of `maxAge`. */
async function upload(path: string, without?: string) {
  const { body } = await operate('getUploadMetaData', { path });
  const { url, token, authorization, storeFileID, fileID } = body.data;
  const form = new FormData();
  const fields = {
    file: 'content',
    key: path,
    'x-store-meta-fileid': storeFileID,
    'x-store-security-token': token,
    Signature: authorization,
  };
  for (const [name, value] of Object.entries(fields))
    if (name !== without) form.append(name, value);
  const sent = new Response(form);
  const headers = { 'Content-Type': sent.headers.get('content-type') ?? '' };
  const send = async () => call(url, { method: 'POST', headers, body: bytes });
  const bytes = Buffer.from(await sent.arrayBuffer());
  return { fileID, send, response: await send() };
}

describe('storage', () => {
  test.each([
    ['an unknown field', 'getUploadMetaData', { path: 'a', b: 1 }, 200, 7422, 'ODD_FIELD'],
    ['a leading slash', 'getUploadMetaData', { path: '/a' }, 422, 7422, 'BAD_PATH'],
    ['a wrong type', 'getUploadMetaData', { path: 1 }, 200, 7422, 'BAD_FIELD'],
    ['21 items', 'batchDelete', { fileList: Array(21).fill('f') }, 200, 7422, 'TOO_MANY'],
  ])('refuses %s without a message', async (_, operation, fields, status, statusCode, code) => {
    const refused = await operate(operation, fields);
    expect(refused).toEqual({ status, statusCode, body: { code } });
  });

  test('accepts a form in any order once, with 200 and without an ETag', async () => {
    const { fileID, send, response } = await upload('up/a.txt');
    expect([response.status, response.text]).toEqual([200, 'ok']);
    expect(response.headers).not.toHaveProperty('etag');
    expect(fileID).toMatch(/^f_[0-9a-f]{16}$/);
    expect((await send()).status).toBe(410);
  });

  test('refuses an incomplete form with 200 and an Error', async () => {
    const { status, headers, text } = (await upload('up/no.txt', 'Signature')).response;
    expect([status, headers['content-type']]).toEqual([200, 'text/xml']);
    expect(text).toMatch(/<Error>.*<Code>FieldMissing</);
  });

  test('lists links in reverse and unencoded, and rejects only the item with a wrong maxAge', async () => {
    const { fileID } = await upload('links/文.txt');
    const fileList = [{ fileID: 'f_0' }, { fileID, maxAge: 0 }, { fileID, maxAge: 0.5 }];
    const { body } = await operate('batchGetTempUrls', { fileList });
    const tempFileURL = expect.stringMatching(/ 文\.txt$/);
    expect(body.data.fileList).toEqual([
      { code: 'SUCCESS', fileID, tempFileURL },
      { code: 'BAD_AGE', fileID, tempFileURL: 'none' },
      { code: 'NO_SUCH_FILE', fileID: 'f_0', tempFileURL: 'none' },
    ]);
    const link = encodeURI(body.data.fileList[0].tempFileURL);
    expect((await call(link)).text).toBe('content');
    expect((await call(link, { method: 'HEAD' })).status).toBe(405);
    await operate('batchDelete', { fileList: [fileID] });
    expect((await call(link)).status).toBe(410);
  });

  test('names no copy, and treats a copy onto itself as a success', async () => {
    await upload('copy/a');
    const [srcPath, dstPath] = ['/copy/a', '/copy/b'];
    const fileList = [
      { srcPath, dstPath },
      { srcPath, dstPath, overwrite: false },
      { srcPath, dstPath: srcPath, removeOriginal: true },
      { srcPath: 'copy/a', dstPath },
    ];
    const { body } = await operate('batchCopyFile', { fileList });
    const failed = (code: string) => ({ code, message: expect.any(String) });
    expect(body.data.fileList).toEqual([{}, failed('TAKEN'), {}, failed('BAD_NAME')]);
  });
});
