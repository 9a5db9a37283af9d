import { describe, expect, it } from 'vitest';
import { failureOf, list } from '../../test/support/fake-fetch.ts';
import { storageWith } from '../../test/support/storage.ts';

const paths = { srcPath: '/a', dstPath: '/b' };

describe('copy and move', () => {
  it('send the paths and leave the defaults to the contract', async () => {
    const { storage, requests } = storageWith([list({ fileID: 'b' }), list({ fileID: 'b' })]);
    expect(await storage.copy('/a', '/b')).toEqual({ fileID: 'b' });
    expect(await storage.move('/a', '/b')).toEqual({ fileID: 'b' });
    expect(await requests[0]?.json()).toEqual({ fileList: [paths] });
    expect(await requests[1]?.json()).toEqual({ fileList: [{ ...paths, removeOriginal: true }] });
  });

  it('send overwrite if it is given', async () => {
    const { storage, requests } = storageWith([list({})]);
    await storage.copy('/a', '/b', { overwrite: false, signal: new AbortController().signal });
    expect(await requests[0]?.json()).toEqual({ fileList: [{ ...paths, overwrite: false }] });
  });

  it('work without the fileID, which the contract does not guarantee', async () => {
    const { storage } = storageWith([list({})]);
    expect(await storage.copy('/a', '/b')).toEqual({ fileID: undefined });
  });

  it('throw if the item has a code', async () => {
    const item = { code: 'OBJECT_ALREADY_EXIST', message: 'The destination exists.' };
    const { storage } = storageWith([list(item)]);
    expect(await failureOf(storage.move('/a', '/b', { overwrite: false }))).toMatchObject({
      name: 'StorageError',
      code: 'OBJECT_ALREADY_EXIST',
      message: expect.stringContaining(
        'Not moved: /a to /b: OBJECT_ALREADY_EXIST, The destination exists.',
      ),
    });
  });
});

describe('delete', () => {
  it('sends the file ID', async () => {
    const { storage, requests } = storageWith([list({ fileID: 'a', code: 'SUCCESS' })]);
    expect(await storage.delete('a')).toBeUndefined();
    expect(requests[0]?.url).toMatch(/storages:batchDelete$/);
    expect(await requests[0]?.json()).toEqual({ fileList: ['a'] });
  });

  it.each([{}, { code: '' }, { code: 0 }, { code: null }])(
    'treats an entry as a success only if its code is SUCCESS: %j',
    async (rest) => {
      const { storage } = storageWith([list({ fileID: 'a', ...rest })]);
      const error = await failureOf(storage.delete('a'));
      expect(error).toMatchObject({ name: 'StorageError', code: undefined, status: 200 });
    },
  );

  it('throws if the file is missing, even if the status of the call was 200', async () => {
    const { storage } = storageWith([list({ fileID: 'a', code: 'STORAGE_FILE_NONEXIST' })]);
    expect(await failureOf(storage.delete('cloud://a'))).toMatchObject({
      name: 'StorageError',
      code: 'STORAGE_FILE_NONEXIST',
      status: 200,
      message: expect.stringContaining('cloud://a was not deleted: STORAGE_FILE_NONEXIST'),
    });
  });
});
