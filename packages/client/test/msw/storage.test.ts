import { createStorageClient, isStorageError, unwrapEnvelope } from '@berth/client';
import { storageError, uploadError } from '@berth/client/msw';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { failureOf } from '../support/fake-fetch.ts';
import { expectInContract } from './contract.ts';
import { BASE, berth, credentials, headers, STORAGE, server, storage } from './set-up.ts';

afterEach(() => vi.useRealTimers());

const post = (operation: string, body: unknown, init: RequestInit = {}) =>
  fetch(STORAGE + operation, { method: 'POST', headers, body: JSON.stringify(body), ...init });
const missing = { name: 'StorageError', code: 'STORAGE_FILE_NONEXIST' };

describe('the files in memory', () => {
  it('go through their whole life cycle with the real client', async () => {
    const bytes = Uint8Array.from({ length: 100_000 }, (_, index) => (index * 31) % 256);
    const { fileID } = await storage.upload('reports/a.bin', bytes, { contentType: 'image/png' });
    expect(berth.files.get('reports/a.bin')).toMatchObject({ bytes, contentType: 'image/png' });
    const response = await storage.download(fileID);
    expect(response.headers.get('Content-Type')).toBe('image/png');
    expect(new Uint8Array(await response.arrayBuffer())).toEqual(bytes);

    await storage.copy('/reports/a.bin', '/b.bin');
    const moved = await storage.move('/b.bin', '/c.bin');
    expect(berth.files.paths()).toEqual(['reports/a.bin', 'c.bin']);
    await storage.delete(moved.fileID ?? '');
    await storage.delete(fileID);
    expect(berth.files.paths()).toEqual([]);
    expect(await failureOf(storage.tempUrl(fileID))).toMatchObject(missing);
    expect(await failureOf(storage.delete(fileID))).toMatchObject(missing);
  });

  it('can be stored and inspected by a test', async () => {
    const fileID = berth.files.put('/报告/a b.txt', 'Hello', { contentType: 'text/plain' });
    expect(fileID).toBe('cloud://dev.files/报告/a b.txt');
    expect(await (await storage.download(fileID)).text()).toBe('Hello');
    await storage.upload('报告/a b.txt', 'Hello again');
    expect(berth.files.get('报告/a b.txt')?.text()).toBe('Hello again');
    expect(berth.files.get('none')).toBeUndefined();
  });

  it('are downloaded in parts', async () => {
    const fileID = berth.files.put('a.txt', 'Hello');
    const part = await storage.download(fileID, { range: { offset: 1, length: 3 } });
    expect(part.headers.get('Content-Range')).toBe('bytes 1-3/5');
    expect(await part.text()).toBe('ell');
    const link = await storage.tempUrl(fileID);
    const range = async (Range: string) => (await fetch(link, { headers: { Range } })).text();
    expect(await range('bytes=-2')).toBe('lo');
    expect(await range('bytes=3-')).toBe('lo');
    expect(await range('bytes=0-1,3-4')).toBe('Hello');
    expect((await fetch(link, { headers: { Range: 'bytes=5-' } })).status).toBe(416);
    const head = await fetch(link, { method: 'HEAD' });
    expect([head.headers.get('Content-Length'), await head.text()]).toEqual(['5', '']);
  });

  it('have links that expire', async () => {
    const fileID = berth.files.put('a.txt', 'Hello');
    const now = Date.now();
    vi.useFakeTimers({ toFake: ['Date'], now });
    const link = await storage.tempUrl(fileID, { maxAge: 60 });
    vi.setSystemTime(now + 59_000);
    expect((await fetch(link)).status).toBe(200);
    vi.setSystemTime(now + 60_000);
    const expired = await fetch(link);
    expect(expired.status).toBe(403);
    expect(await expired.text()).toContain('<Code>AccessDenied</Code>');
    expect((await fetch(`${BASE}/files/a.txt?sign=x`)).status).toBe(403);
  });

  it('are no longer behind a link after they were deleted', async () => {
    const fileID = berth.files.put('a.txt', 'Hello');
    const link = await storage.tempUrl(fileID);
    berth.files.clear();
    const response = await fetch(link);
    expect(response.status).toBe(404);
    expect(await response.text()).toContain('<Code>STORAGE_FILE_NONEXIST</Code>');
  });
});

describe('responses', () => {
  const links = ['batchGetTempUrls', 'BatchGetTempUrlsResult'] as const;
  const copies = ['batchCopyFile', 'BatchCopyFileResult'] as const;
  it.each([
    ['getUploadMetaData', 'GetUploadMetaDataResult', { path: 'a.txt' }],
    [...links, { fileList: [{ fileID: 'cloud://dev.files/a' }] }],
    [...links, { fileList: [{ fileID: 'none', maxAge: 1 }] }],
    [...links, { fileList: [{ fileID: 'cloud://dev.files/a', maxAge: 0 }] }],
    ['batchDelete', 'BatchDeleteResult', { fileList: ['cloud://dev.files/a', 'none'] }],
    [...copies, { fileList: [{ srcPath: '/a', dstPath: '/b' }] }],
    [...copies, { fileList: [{ srcPath: '/none', dstPath: '/b' }] }],
    [...copies, { data: { fileList: [{ srcPath: '/a', dstPath: '/ü' }] } }],
  ])('of %s are %s, as the contract has it, to %j', async (operation, schema, body) => {
    berth.files.put('a', 'Hello');
    const response = await post(operation, body);
    const envelope = await response.json();
    expectInContract('storage', schema, envelope);
    expect(response.status).toBe(200);
    expect(envelope.body.requestId).toBe(response.headers.get('X-Request-Id'));
    expect(envelope.body.data).toBeDefined();
  });

  const json = { 'Content-Type': 'application/json' };
  const many = JSON.stringify({ fileList: Array(51).fill('a') });
  const wrong = '{"fileList":[{"srcPath":"/a","dstPath":"/b","overwrite":1}]}';
  it.each([
    ['no credentials', 401, 'SIGN_PARAM_INVALID', 'batchDelete', { headers: json }],
    ['no JSON', 400, 'INVALID_PARAM', 'batchDelete', { body: '{' }],
    ['a missing field', 400, 'INVALID_PARAM', 'getUploadMetaData', { body: '{}' }],
    ['a wrong type', 400, 'INVALID_PARAM', 'batchDelete', { body: '{"fileList":[1]}' }],
    ['a wrong type within', 400, 'INVALID_PARAM', 'batchCopyFile', { body: wrong }],
    ['a bad path', 400, 'INVALID_PARAM', 'getUploadMetaData', { body: '{"path":"a/../b"}' }],
    ['too many files', 400, 'INVALID_PARAM', 'batchDelete', { body: many }],
    ['an unknown operation', 404, 'NOT_FOUND', 'batchMove', {}],
    ['a GET', 405, 'METHOD_NOT_ALLOWED', 'batchDelete', { method: 'GET', body: null }],
    [
      'another type',
      415,
      'UNSUPPORTED_MEDIA_TYPE',
      'batchDelete',
      { headers: { ...headers, 'Content-Type': 'text/plain' } },
    ],
  ])('to %s are %i %s', async (_, status, code, operation, init) => {
    const response = await post(operation, { fileList: [] }, init);
    const envelope = await response.json();
    expectInContract('storage', 'ErrorResponse', envelope);
    expect([response.status, envelope.statusCode, envelope.body.code]).toEqual([
      status,
      status,
      code,
    ]);
  });

  it('to another environment are INVALID_ENV', async () => {
    const other = createStorageClient({ baseUrl: BASE, envId: 'other', credentials });
    expect(await failureOf(other.delete('a'))).toMatchObject({ code: 'INVALID_ENV', status: 404 });
  });

  it('do not overwrite a file if that is not allowed', async () => {
    berth.files.put('a', 'new');
    berth.files.put('b', 'old');
    const error = await failureOf(storage.copy('/a', '/b', { overwrite: false }));
    expect(error).toMatchObject({ code: 'OBJECT_ALREADY_EXIST' });
    expect(berth.files.get('b')?.text()).toBe('old');
    expect(await failureOf(storage.copy('/a', '/a'))).toMatchObject({ code: 'INVALID_PARAM' });
  });

  it.each([
    ['no grant', { 'x-store-security-token': undefined }, 'AccessDenied', 403],
    ['another key', { key: 'b.txt' }, 'SignatureDoesNotMatch', 403],
    ['another signature', { Signature: 'x' }, 'SignatureDoesNotMatch', 403],
    ['no file', { file: undefined }, 'MalformedPOSTRequest', 400],
  ])('of the upload target to a form with %s store nothing', async (_, changes, code, status) => {
    const { url, token, authorization, storeFileID } = unwrapEnvelope(
      await storage.POST('/api/v2/envs/{envId}/storages:getUploadMetaData', {
        body: { path: 'a.txt' },
      }),
    );
    const fields: Record<string, string | Blob | undefined> = {
      Signature: authorization,
      'x-store-security-token': token,
      'x-store-meta-fileid': storeFileID,
      key: 'a.txt',
      file: new Blob(['Hello']),
      ...changes,
    };
    const body = new FormData();
    for (const [field, value] of Object.entries(fields)) if (value) body.append(field, value);
    const response = await fetch(url, { method: 'POST', body });
    expect(response.status).toBe(status);
    expect(response.headers.get('Content-Type')).toBe('application/xml');
    expect(await response.text()).toMatch(new RegExp(`<Error><Code>${code}</Code><Message>`));
    expect(berth.files.paths()).toEqual([]);
  });
});

describe('your own responses', () => {
  it('are typed and wrapped in the envelope', async () => {
    server.use(
      berth.storage.batchDelete(({ body }) => ({
        fileList: body.fileList.map((fileID) => ({ fileID, code: 'STORAGE_EXCEED_AUTHORITY' })),
      })),
    );
    const [result] = await storage.delete(['a']);
    expect(result?.error).toMatchObject({ code: 'STORAGE_EXCEED_AUTHORITY' });
  });

  it('may be errors of the whole call, by their names', async () => {
    server.use(berth.storage.batchGetTempUrls(() => storageError('SERVICE_UNAVAILABLE')));
    const error = await failureOf(storage.tempUrl('a'));
    expect(isStorageError(error)).toBe(true);
    expect(error).toMatchObject({ code: 'SERVICE_UNAVAILABLE', status: 503 });
  });

  it('may be errors of the upload target', async () => {
    server.use(berth.uploads.uploadFile(() => uploadError('EntityTooLarge')));
    const error = await failureOf(storage.upload('a.txt', 'Hello'));
    expect(error).toMatchObject({ name: 'UploadError', code: 'EntityTooLarge', status: 400 });
    expect(berth.files.paths()).toEqual([]);
  });

  it('may be for one call only, and fall back to the default if they return nothing', async () => {
    const seen: string[] = [];
    server.use(
      berth.storage.getUploadMetaData(({ body }) => {
        seen.push(body.path);
        return undefined;
      }),
      berth.uploads.uploadFile(() => uploadError('SlowDown'), { once: true }),
      berth.uploads.downloadFile(() => uploadError('ServiceUnavailable'), { once: true }),
    );
    const quick = { retry: { baseDelay: 1 } };
    const { fileID } = await storage.upload('a.txt', 'Hello', quick);
    expect(seen).toEqual(['a.txt', 'a.txt']);
    expect(await (await storage.download(fileID, quick)).text()).toBe('Hello');
  });
});
