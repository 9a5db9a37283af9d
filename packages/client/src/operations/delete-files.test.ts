import { describe, expect, it } from 'vitest';
import { failureOf, list } from '../../test/support/fake-fetch.ts';
import { storageWith } from '../../test/support/storage.ts';

describe('delete', () => {
  it('sends the file ID', async () => {
    const { storage, requests } = storageWith([list({ fileID: 'a', code: 'SUCCESS' })]);
    expect(await storage.delete('a')).toBeUndefined();
    expect(requests[0]?.url).toMatch(/storages:batchDelete$/);
    expect(await requests[0]?.json()).toEqual({ fileList: ['a'] });
  });

  it.each([{}, { code: '' }, { code: 0 }, { code: null }])(
    'takes no entry for a success that does not say SUCCESS: %j',
    async (rest) => {
      const { storage } = storageWith([list({ fileID: 'a', ...rest })]);
      const error = await failureOf(storage.delete('a'));
      expect(error).toMatchObject({ name: 'StorageError', code: undefined, status: 200 });
    },
  );

  it('throws where the file is missing, though the call had status 200', async () => {
    const { storage } = storageWith([list({ fileID: 'a', code: 'STORAGE_FILE_NONEXIST' })]);
    expect(await failureOf(storage.delete('cloud://a'))).toMatchObject({
      name: 'StorageError',
      code: 'STORAGE_FILE_NONEXIST',
      status: 200,
      message: expect.stringContaining('cloud://a was not deleted: STORAGE_FILE_NONEXIST'),
    });
  });
});
