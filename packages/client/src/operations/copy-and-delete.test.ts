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

  it('work without the fileID, which the contract does not guarantee', async () => {
    const { storage } = storageWith([list({})]);
    expect(await storage.copy('/a', '/b')).toEqual({ fileID: undefined });
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
});
