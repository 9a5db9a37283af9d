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

  it('send overwrite where it is given', async () => {
    const { storage, requests } = storageWith([list({})]);
    await storage.copy('/a', '/b', { overwrite: false, signal: new AbortController().signal });
    expect(await requests[0]?.json()).toEqual({ fileList: [{ ...paths, overwrite: false }] });
  });

  it('do without the fileID that the contract does not promise', async () => {
    const { storage } = storageWith([list({})]);
    expect(await storage.copy('/a', '/b')).toEqual({ fileID: undefined });
  });

  it('throw where the item carries a code', async () => {
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
