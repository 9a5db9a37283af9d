import { afterAll, describe, expect, test } from 'vitest';
import { createMock } from '../src/index.ts';
import { storage } from './helpers/calls.ts';
import { getLink, read, upload } from './helpers/upload.ts';

const mock = await createMock();
afterAll(() => mock.close());

const OPERATIONS = ['getUploadMetaData', 'batchGetTempUrls', 'batchDelete', 'batchCopyFile'];
const list = async (operation: string, fileList: unknown) =>
  (await storage(mock, operation, { fileList })).json.body.data.fileList;
const copy = (item: object) => list('batchCopyFile', [item]);

describe('every operation', () => {
  test.each(OPERATIONS)('%s returns the example that Prefer names', async (operation) => {
    const body = operation === 'getUploadMetaData' ? { path: 'a' } : { fileList: [] };
    const success = await storage(mock, operation, body, { prefer: 'example=success' });
    expect(success).toMatchObject({ status: 200, json: { statusCode: 200 } });
    expect(success.json.body.requestId).toBe(success.headers['x-request-id']);
    const refused = await storage(mock, operation, body, { prefer: 'code=429' });
    expect(refused).toMatchObject({ status: 429, json: { statusCode: 429 } });
    expect(refused.json.body.code).toBe('EXCEED_RATELIMIT');
    expect(refused.headers['retry-after']).toBe('1');
    const failed = await storage(mock, operation, body, { prefer: 'code=500, example=SYS_ERR' });
    expect(failed).toMatchObject({ status: 500, json: { body: { code: 'SYS_ERR' } } });
    expect(failed.headers).not.toHaveProperty('retry-after');
    const dynamic = await storage(mock, operation, body, { prefer: 'dynamic=true' });
    expect(dynamic).toMatchObject({ status: 200, json: { statusCode: 200 } });
  });

  test('a body of exactly the limit is read', async () => {
    const body = JSON.stringify({ fileList: [] });
    const padded = body + ' '.repeat(1_048_576 - body.length);
    expect((await storage(mock, 'batchDelete', padded)).status).toBe(200);
  });
});

describe('batchDelete', () => {
  test('a deleted file is gone, and its links with it', async () => {
    const fileID = await upload(mock, 'gone.txt', 'x');
    const link = await getLink(mock, fileID);
    expect(await list('batchDelete', [fileID])).toEqual([{ fileID, code: 'SUCCESS' }]);
    expect((await fetch(link)).status).toBe(404);
    expect(await getLink(mock, fileID)).toBe('');
  });
});

describe('batchCopyFile', () => {
  test('a copy has the same bytes, and the source is kept', async () => {
    const source = await upload(mock, 'from/a.txt', 'content');
    const [item] = await copy({ srcPath: '/from/a.txt', dstPath: '/to/报告.txt' });
    expect(item).toEqual({ fileID: 'cloud://dev.files/to/报告.txt' });
    expect([await read(mock, item.fileID), await read(mock, source)]).toEqual([
      'content',
      'content',
    ]);
  });

  test('removeOriginal makes it a move', async () => {
    const source = await upload(mock, 'move.txt', 'content');
    const [item] = await copy({ srcPath: 'move.txt', dstPath: 'moved.txt', removeOriginal: true });
    expect(await read(mock, item.fileID)).toBe('content');
    expect(await read(mock, source)).toBeUndefined();
  });

  test('overwrite is the default, and false leaves the destination as it was', async () => {
    await upload(mock, 'new.txt', 'new');
    const old = await upload(mock, 'old.txt', 'old');
    const move = { srcPath: '/new.txt', dstPath: '/old.txt', removeOriginal: true };
    expect(await copy({ ...move, overwrite: false })).toEqual([
      { code: 'OBJECT_ALREADY_EXIST', message: 'The destination exists.' },
    ]);
    expect(await read(mock, old)).toBe('old');
    expect(await copy(move)).toEqual([{ fileID: old }]);
    expect(await read(mock, old)).toBe('new');
  });

  test('a missing source fails, and the destination stays', async () => {
    const kept = await upload(mock, 'kept.txt', 'kept');
    expect(await copy({ srcPath: '/none', dstPath: '/kept.txt' })).toEqual([
      { code: 'STORAGE_FILE_NONEXIST', message: 'The file does not exist.' },
    ]);
    expect(await read(mock, kept)).toBe('kept');
  });

  test('a copy that does not fit fails its item alone', async () => {
    await using small = await createMock({ maxStoreBytes: 2_000 });
    await upload(small, 'a', 'x'.repeat(1_000));
    const { json } = await storage(small, 'batchCopyFile', {
      fileList: [
        { srcPath: 'a', dstPath: 'b' },
        { srcPath: 'a', dstPath: 'c', removeOriginal: true },
      ],
    });
    const [bad, moved] = json.body.data.fileList;
    expect(bad.message).toContain('maxStoreBytes');
    expect(moved).toEqual({ fileID: 'cloud://dev.files/c' });
  });
});
