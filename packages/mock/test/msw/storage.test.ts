import { afterEach, expect, it, vi } from 'vitest';
import { BASE, berth, callStorage, dataOf, FLAT, linkTo, prepareUpload, upload } from './set-up.ts';

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

it('keeps files from upload to deletion', async () => {
  const bytes = Uint8Array.from({ length: 100_000 }, (_, index) => (index * 31) % 256);
  const { fileID, response } = await upload('报告/a.bin', bytes, { type: 'image/png' });
  expect([response.status, fileID]).toEqual([204, 'cloud://dev.files/报告/a.bin']);
  expect(berth.files.get('/报告/a.bin')).toEqual(bytes);
  const got = await fetch(await linkTo(fileID));
  expect(got.headers.get('content-type')).toBe('image/png');
  expect(new Uint8Array(await got.arrayBuffer())).toEqual(bytes);
  const move = { srcPath: '/c.txt', dstPath: '/b.txt', removeOriginal: true };
  berth.files.put('c.txt', 'Hello');
  expect(await dataOf('batchCopyFile', { fileList: [move] })).toEqual({
    fileList: [{ fileID: 'cloud://dev.files/b.txt' }],
  });
  expect(berth.files.list()).toMatchObject([
    { path: '报告/a.bin', size: 100_000, contentType: 'image/png' },
    { path: 'b.txt', size: 5, contentType: 'application/octet-stream' },
  ]);
  const deleted = await dataOf('batchDelete', { fileList: [fileID, fileID] });
  expect(deleted).toMatchObject({
    fileList: [{ code: 'SUCCESS' }, { code: 'STORAGE_FILE_NONEXIST' }],
  });
});

it('serves parts of files, and links that expire', async () => {
  const link = await linkTo(berth.files.put('a.txt', 'Hello'));
  const part = await fetch(link, { headers: { range: 'bytes=1-3' } });
  expect([part.status, part.headers.get('content-range')]).toEqual([206, 'bytes 1-3/5']);
  expect(await part.text()).toBe('ell');
  const head = await fetch(link, { method: 'HEAD' });
  expect([head.headers.get('content-length'), await head.text()]).toEqual(['5', '']);
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 60_000 });
  const expired = await fetch(link);
  expect(expired.status).toBe(403);
  expect(await expired.text()).toContain('<Code>AccessDenied</Code>');
});

it.each([
  ['another key', { key: 'b.txt' }, 'SignatureDoesNotMatch', 403],
  ['no grant', { 'x-store-security-token': '' }, 'AccessDenied', 403],
  ['no key', { key: '' }, 'MalformedPOSTRequest', 400],
])('stores nothing for a form with %s', async (_, changes, code, status) => {
  const { response } = await upload('a.txt', 'Hello', changes);
  expect(response.status).toBe(status);
  expect(response.headers.get('content-type')).toBe('application/xml');
  expect(await response.text()).toContain(`<Error><Code>${code}</Code>`);
  expect(berth.files.list()).toMatchObject([]);
});

it('supports success_action_status, and rejects a body that is not a form', async () => {
  const { response } = await upload('a.txt', 'Hello', { success_action_status: '201' });
  expect(response.status).toBe(201);
  expect(await response.text()).toContain('<PostResponse>');
  const none = await fetch(`${BASE}/upload`, { method: 'POST', body: 'a' });
  expect(none.status).toBe(400);
  expect(await none.text()).toContain('<Code>MalformedPOSTRequest</Code>');
});

// As in jsdom, where Node cannot read forms.
it('accepts uploads if File and Uint8Array are replaced', async () => {
  const { url, fields } = await prepareUpload('a.html');
  const toPart = (name: string, text: string, head = '') =>
    `--b\r\nContent-Disposition: form-data; name="${name}"\r\n${head}\r\n${text}\r\n`;
  const parts = Object.entries(fields).map(([name, value]) => toPart(name, value));
  const type = 'Content-Type: text/html; charset=UTF-8\r\n';
  const body = `${parts.join('')}${toPart('file', '\r\n<p>\r\n', type)}--b--`;
  const headers = { 'content-type': 'multipart/form-data; boundary=b' };
  vi.stubGlobal('File', class File {});
  vi.stubGlobal('Uint8Array', class extends Uint8Array {});
  expect((await fetch(url, { method: 'POST', headers, body })).status).toBe(204);
  expect(new TextDecoder().decode(berth.files.get('a.html'))).toBe('\r\n<p>\r\n');
  expect(berth.files.list()).toMatchObject([{ contentType: 'text/html; charset=utf-8' }]);
});

const long = { path: '中'.repeat(4e5) };
const many = { fileList: Array(51).fill('a') };
const none = { 'x-svc-authorization': '', 'x-svc-timestamp': '' };

it.each([
  ['no credentials', 401, 'SIGN_PARAM_INVALID', 'batchDelete', {}, { headers: none }],
  ['a wrong type', 400, 'INVALID_PARAM', 'batchDelete', { data: { fileList: [1] } }, {}],
  ['too many bytes', 413, 'EXCEED_MAX_PAYLOAD_SIZE', 'getUploadMetaData', long, {}],
  ['too many files', 400, 'INVALID_PARAM', 'batchDelete', many, {}],
  ['an unknown operation', 404, 'NOT_FOUND', 'uploadFile', {}, {}],
  ['a PUT', 405, 'METHOD_NOT_ALLOWED', 'batchDelete', {}, { method: 'PUT' }],
  ['another environment', 404, 'INVALID_ENV', 'batchDelete', { fileList: [] }, { env: 'other' }],
  ['a bad environment', 400, 'INVALID_PARAM', 'batchDelete', { fileList: [] }, { env: '%zz' }],
])('rejects a storage call with %s', async (_, status, code, id, body, init) => {
  const response = await callStorage(id, body, init);
  const requestId = response.headers.get('x-request-id');
  expect(response.status).toBe(status);
  expect(await response.json()).toMatchObject({ body: { code, requestId } });
});

it('sends flat responses and errors if the wire profile says so', async () => {
  const requestId = expect.any(String);
  const init = { base: FLAT };
  const fileList = ['cloud://dev.files/none.txt'];
  const found = await callStorage('batchDelete', { fileList }, init);
  const data = { fileList: [expect.objectContaining({ code: 'STORAGE_FILE_NONEXIST' })] };
  expect(await found.json()).toEqual({ requestId, data });
  const rejected = await callStorage('batchDelete', { fileList: 'none' }, init);
  expect(rejected.status).toBe(400);
  const error = { code: 'INVALID_PARAM', message: expect.any(String) };
  expect(await rejected.json()).toEqual({ requestId, ...error });
});
