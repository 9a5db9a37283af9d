import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { type SecondServer, startSecondServer } from './second-server/start-second-server.ts';
import { call } from './second-server/support/call.ts';
import { link, operate, post, prepare, read, store } from './second-server/support/files.ts';

let server: SecondServer;
beforeAll(async () => {
  server = await startSecondServer({ services: {} });
});
afterAll(() => server.close());

const copy = (...fileList: object[]) => operate(server, 'batchCopyFile', { fileList });

describe('storage calls', () => {
  const urlOf = (operation: string, env = 'stage') =>
    `${server.storageUrl}/api/v2/envs/${env}/storages:${operation}`;
  const body = '{"data":{"path":"probe"}}';
  const meta = 'getUploadMetaData';
  const good = () => server.storageHeaders;
  const without = (name: string) => ({ ...good(), [name]: '' });
  test.each([
    ['no credentials', 'NO_KEY', () => [urlOf(meta), { body, headers: {} }]],
    [
      'no session token',
      'NO_KEY',
      () => [urlOf(meta), { body, headers: without('X-Svc-SessionToken') }],
    ],
    ['no time', 'NO_KEY', () => [urlOf(meta), { body, headers: without('X-Svc-TimeStamp') }]],
    [
      'a wrong key',
      'BAD_KEY',
      () => [urlOf(meta), { body, headers: { ...good(), 'X-Svc-Authorization': 'x' } }],
    ],
    [
      'a time of no number',
      'BAD_CLOCK',
      () => [urlOf(meta), { body, headers: { ...good(), 'X-Svc-TimeStamp': 'x' } }],
    ],
    ['another environment', 'OTHER_ENV', () => [urlOf(meta, 'stage-2'), { body, headers: good() }]],
    [
      'a longer name',
      'NO_OPERATION',
      () => [urlOf('batchDeleteX'), { body: '{"data":{"fileList":[]}}', headers: good() }],
    ],
    ['a GET', 'NOT_POST', () => [urlOf(meta), { method: 'GET', headers: good() }]],
    ['no JSON', 'NOT_JSON', () => [urlOf(meta), { body: '{"data', headers: good() }]],
    ['a list', 'BAD_FIELD', () => [urlOf(meta), { body: '[]', headers: good() }]],
    ['null', 'BAD_FIELD', () => [urlOf(meta), { body: 'null', headers: good() }]],
    [
      'the other form',
      'BAD_FIELD',
      () => [urlOf(meta), { body: '{"path":"probe"}', headers: good() }],
    ],
    ['no path', 'BAD_FIELD', () => [urlOf(meta), { body: '{"data":{}}', headers: good() }]],
    [
      'a path of a wrong type',
      'BAD_FIELD',
      () => [urlOf(meta), { body: '{"data":{"path":1}}', headers: good() }],
    ],
    [
      'an unknown field',
      'ODD_FIELD',
      () => [urlOf(meta), { body: '{"data":{"path":"a","b":1}}', headers: good() }],
    ],
    [
      'an item of a wrong type',
      'BAD_FIELD',
      () => [urlOf('batchDelete'), { body: '{"data":{"fileList":[1]}}', headers: good() }],
    ],
    [
      'an item without its field',
      'BAD_FIELD',
      () => [urlOf('batchGetTempUrls'), { body: '{"data":{"fileList":[{}]}}', headers: good() }],
    ],
    [
      '21 items',
      'TOO_MANY',
      () => [
        urlOf('batchDelete'),
        { body: JSON.stringify({ data: { fileList: Array(21).fill('f') } }), headers: good() },
      ],
    ],
    [
      'a huge body',
      'TOO_LONG',
      () => [urlOf(meta), { body: `{"data":{"path":"${'a'.repeat(300_000)}"}}`, headers: good() }],
    ],
  ] as [string, string, () => [string, object]][])(
    'are refused with %s as %s, in the envelope',
    async (_, code, make) => {
      const [url, options] = make();
      const { status, headers, text } = await call(url, { method: 'POST', ...options });
      expect(status === 200 || (status >= 400 && status < 500), String(status)).toBe(true);
      expect(headers['content-type']).toBe('application/json;charset=UTF-8');
      const response = JSON.parse(text);
      expect(response.statusCode).not.toBe(status);
      expect(response.body).toEqual({ code });
    },
  );

  test('are rejected with various statuses and codes, and statusCode of a copy equals its status', async () => {
    const [wrong, many] = [{ fileList: 1 }, { fileList: Array(21).fill('f') }];
    expect(await operate(server, 'batchDelete', many)).toMatchObject({
      status: 200,
      statusCode: 7422,
    });
    expect(await operate(server, 'batchCopyFile', wrong)).toMatchObject({
      status: 200,
      statusCode: 200,
    });
    expect(await operate(server, meta, { path: '/a' })).toMatchObject({
      status: 422,
      statusCode: 7422,
    });
  });

  test('support every choice that the caller configures', async () => {
    await using other = await startWith({ envelope: 'flat', requestForm: 'top', should: 'kept' });
    const url = `${other.storageUrl}/api/v2/envs/stage/storages:${meta}`;
    const send = (text: string) =>
      call(url, { method: 'POST', headers: other.storageHeaders, body: text });
    const done = JSON.parse((await send('{"path":"a","unknown":1}')).text);
    expect(Object.keys(done)).toEqual(['requestId', 'data']);
    const failed = await send('{"path":1}');
    expect(failed.status).toBe(200);
    expect(JSON.parse(failed.text)).toEqual({
      code: 'BAD_FIELD',
      message: expect.any(String),
      requestId: expect.stringMatching(/^2nd-/),
    });
  });
});

test('hostile bodies are rejected like any others', async () => {
  const url = `${server.storageUrl}/api/v2/envs/stage/storages:batchCopyFile`;
  for (const body of [
    '['.repeat(100_000),
    '{"data":{"fileList":[{"srcPath":"\\ud800","dstPath":{"toString":1}}]}}',
    '{"data":{"__proto__":{"fileList":[]}}}',
    Buffer.from([0xff, 0xfe, 0x00]),
    '',
  ]) {
    const { status, text } = await call(url, {
      method: 'POST',
      headers: server.storageHeaders,
      body,
    });
    expect(status).toBeLessThan(500);
    expect(JSON.parse(text)).toMatchObject({
      statusCode: status,
      body: { code: expect.any(String) },
    });
  }
});

test('of two concurrent uploads one file remains, and readers see only complete files', async () => {
  const contents = ['a', 'b', 'c'].map((letter) => letter.repeat(1_000_000));
  await store(server, 'race/one', contents[0] ?? '');
  const [, ...seen] = await Promise.all([
    Promise.all(contents.map((content) => store(server, 'race/one', content))),
    ...Array.from({ length: 10 }, () => read(server, 'race/one')),
  ]);
  seen.push(await read(server, 'race/one'));
  expect(seen.map((content = '') => contents.includes(content))).toEqual(Array(11).fill(true));
});

describe('uploads', () => {
  test('respond with 200 and two letters, and links return the bytes without credentials', async () => {
    const { url, fields, fileID } = await prepare(server, 'up/one.txt', 'one\r\n--x\0');
    const response = await post(url, { success_action_status: '201', ...fields });
    expect([response.status, response.text]).toEqual([200, 'ok']);
    expect(response.headers).not.toHaveProperty('etag');
    expect(fileID).toMatch(/^f_[0-9a-f]{16}$/);
    const address = await link(server, fileID);
    expect(new URL(address).host).not.toBe(new URL(server.storageUrl).host);
    expect((await call(address)).text).toBe('one\r\n--x\0');
    expect((await call(address, { method: 'HEAD' })).status).toBe(405);
    expect(await read(server, 'up/one.txt')).toBe('one\r\n--x\0');
  });

  const names = ['Signature', 'x-store-security-token', 'x-store-meta-fileid', 'key', 'file'];
  test.each(names)('without %s store nothing', async (name) => {
    const { url, fields } = await prepare(server, 'up/no.txt', 'no');
    delete fields[name];
    const { status, text } = await post(url, fields);
    expect([status, text]).toEqual([200, expect.stringMatching(/<Error>.*<Code>FieldMissing</)]);
    expect(await read(server, 'up/no.txt')).toBeUndefined();
  });

  test.each(names.slice(0, 4))('with a wrong %s store nothing', async (name) => {
    const { url, fields } = await prepare(server, 'up/no.txt', 'no');
    const { fields: others } = await prepare(server, 'up/other.txt', 'no');
    const { status, headers, text } = await post(url, { ...fields, [name]: others[name] ?? '' });
    expect([status, text]).toEqual([409, expect.stringMatching(/<Error>.*<Code>FieldMismatch</)]);
    expect(headers['content-type']).toBe('text/xml');
    expect(await read(server, 'up/no.txt')).toBeUndefined();
  });

  test('need the URL exactly as returned', async () => {
    const { url, fields } = await prepare(server, 'up/no.txt', 'no');
    expect((await post(url.replace('%2F', '/'), fields)).status).toBe(410);
    expect((await post(url.replace('&part', ''), fields)).status).toBe(410);
    expect((await post(url, fields)).status).toBe(200);
    expect((await post(url, fields)).status).toBe(410);
  });

  test('with a truncated form store nothing', async () => {
    const { url } = await prepare(server, 'up/no.txt', 'no');
    const headers = { 'Content-Type': 'multipart/form-data; boundary=b' };
    const part = '--b\r\nContent-Disposition: form-data; name="file"\r\n\r\nno\r\n';
    const body = `${part}--b\r\n`;
    expect((await call(url, { method: 'POST', headers, body })).text).toContain('UnreadableForm');
    const whole = { method: 'POST', headers, body: `${part}--b--` };
    expect((await call(url, whole)).text).toContain('FieldMissing');
  });

  test('that are too large or interrupted keep the existing file', async () => {
    await store(server, 'up/kept.txt', 'kept');
    const { url, fields } = await prepare(server, 'up/kept.txt', 'x'.repeat(9 * 1024 * 1024));
    expect((await post(url, fields)).text).toContain('<Code>FileTooBig<');
    const { host, port, pathname, search } = new URL(url);
    const head = `POST ${pathname}${search} HTTP/1.1\r\nHost: ${host}\r\nContent-Length: 999\r\n`;
    const socket = connect(Number(port), '127.0.0.1');
    const type = 'Content-Type: multipart/form-data; boundary=b\r\n\r\n--b\r\n';
    await new Promise<void>((resolve) => socket.end(head + type, resolve));
    await new Promise((resolve) => socket.resume().on('close', resolve));
    expect(await read(server, 'up/kept.txt')).toBe('kept');
  });
});

describe('links', () => {
  test('work until they expire, and stop within a second', async () => {
    const fileID = await store(server, 'links/one.txt', 'one');
    onTestFinished(() => void vi.useRealTimers());
    vi.useFakeTimers({ toFake: ['Date'] });
    const start = Date.now();
    const address = await link(server, fileID, 5);
    vi.setSystemTime(start + 5000);
    expect((await call(address)).status).toBe(200);
    vi.setSystemTime(start + 6000);
    expect((await call(address)).status).toBe(410);
  });

  test('are unencoded, and have to be encoded once', async () => {
    const fileID = await store(server, 'links/文.txt', 'text');
    const { body } = await operate(server, 'batchGetTempUrls', { fileList: [{ fileID }] });
    const address = body.data.fileList[0].tempFileURL;
    expect(address).toMatch(/ 文\.txt$/);
    expect((await call(encodeURI(address))).text).toBe('text');
    expect((await call(encodeURI(encodeURI(address)))).status).toBe(405);
  });

  test('stop when the file is deleted', async () => {
    const fileID = await store(server, 'links/two.txt', 'two');
    const address = await link(server, fileID);
    await operate(server, 'batchDelete', { fileList: [fileID] });
    expect((await call(address)).status).toBe(410);
  });

  test('have one entry per item, and only invalid items fail', async () => {
    const fileID = await store(server, 'links/three.txt', 'three');
    const fileList = [
      { fileID: 'f_0' },
      { fileID },
      { fileID, maxAge: 0 },
      { fileID, maxAge: 0.5 },
    ];
    const { status, statusCode, body } = await operate(server, 'batchGetTempUrls', { fileList });
    expect([status, statusCode]).toEqual([200, 200]);
    const url = expect.stringMatching(/^http:/);
    expect(body.data.fileList.toReversed()).toEqual([
      { code: 'NO_SUCH_FILE', fileID: 'f_0', tempFileURL: 'none' },
      { code: 'SUCCESS', fileID, tempFileURL: url },
      { code: 'BAD_AGE', fileID, tempFileURL: 'none' },
      { code: 'SUCCESS', fileID, tempFileURL: url },
    ]);
  });
});

test('a deletion deletes only the files in its list, and only once', async () => {
  const [gone, kept] = [await store(server, 'del/a', 'a'), await store(server, 'del/b', 'b')];
  const { body } = await operate(server, 'batchDelete', { fileList: [gone, 'f_0', gone] });
  expect(body.data.fileList).toEqual([
    { code: 'NO_SUCH_FILE', fileID: gone },
    { code: 'NO_SUCH_FILE', fileID: 'f_0' },
    { code: 'SUCCESS', fileID: gone },
  ]);
  expect(await read(server, 'del/a')).toBeUndefined();
  expect(await link(server, kept)).toMatch(/^http:/);
});

describe('copies', () => {
  test('fail individually with code and message, which successes omit', async () => {
    await store(server, 'copy/一.txt', 'one');
    const srcPath = '/copy/一.txt';
    const { status, statusCode, body } = await copy(
      { srcPath, dstPath: '/copy/two!-_.,*.txt' },
      { srcPath, dstPath: '/copy/a b.txt' },
      { srcPath: srcPath.slice(1), dstPath: '/copy/three' },
      { srcPath: '/copy/none', dstPath: '/copy/three' },
      { srcPath, dstPath: srcPath, removeOriginal: true },
    );
    expect([status, statusCode]).toEqual([200, 200]);
    const failed = (code: string) => ({ code, message: expect.any(String) });
    expect(body.data.fileList).toEqual([
      {},
      failed('BAD_NAME'),
      failed('BAD_NAME'),
      failed('NO_SUCH_FILE'),
      {},
    ]);
    expect(await read(server, 'copy/two!-_.,*.txt')).toBe('one');
    expect(await read(server, 'copy/一.txt')).toBe('one');
    expect(await read(server, 'copy/three')).toBeUndefined();
  });

  test('overwrite and keep the source by default', async () => {
    await store(server, 'copy/from', 'new');
    const old = await store(server, 'copy/to', 'old');
    const [srcPath, dstPath] = ['/copy/from', '/copy/to'];
    const { body } = await copy({ srcPath, dstPath, overwrite: false, removeOriginal: true });
    expect(body.data.fileList[0].code).toBe('TAKEN');
    expect(await read(server, 'copy/to')).toBe('old');
    expect(await read(server, 'copy/from')).toBe('new');
    await copy({ srcPath, dstPath });
    expect((await call(await link(server, old))).text).toBe('new');
    expect(await read(server, 'copy/from')).toBe('new');
    await copy({ srcPath, dstPath, removeOriginal: true });
    expect(await read(server, 'copy/from')).toBeUndefined();
  });

  test.each(['source', 'destination'] as const)(
    'name the %s where they are asked to',
    async (copyFileId) => {
      await using other = await startWith({ copyFileId });
      await store(other, 'a', 'content');
      const fileList = [{ srcPath: '/a', dstPath: '/b', removeOriginal: true }];
      const { body } = await operate(other, 'batchCopyFile', { fileList });
      const address = await link(other, body.data.fileList[0].fileID);
      expect(address === 'none').toBe(copyFileId === 'source');
    },
  );
});

async function startWith(options: object) {
  const other = await startSecondServer({ services: {}, ...options });
  return { ...other, [Symbol.asyncDispose]: other.close };
}
