import { randomBytes } from 'node:crypto';
import { createStorageClient, type StorageClient, unwrapEnvelope } from '@berth/client';
import { beforeAll, describe, expect, test } from 'vitest';
import { type Deployment, UPLOAD_BYTES } from './start-deployment.ts';

const MISSING = { name: 'StorageError', code: 'STORAGE_FILE_NONEXIST' };

/** Tests the life of files, as a client of the contract sees it. */
export function checkFiles(deployed: () => Deployment): void {
  describe('files', () => {
    let storage: StorageClient;
    const withOptions = (options: object = {}) => {
      const { url: baseUrl, credentials, wireProfile } = deployed();
      return createStorageClient({ baseUrl, envId: 'dev', credentials, wireProfile, ...options });
    };
    beforeAll(() => {
      storage = withOptions();
    });
    const textOf = async (fileID: string) => (await storage.download(fileID)).text();

    test('are uploaded, copied, moved, downloaded and deleted', async () => {
      const content = randomBytes(100_000);
      const isWhole = async (fileID = '') => {
        const bytes = await (await storage.download(fileID)).bytes();
        expect(content.equals(bytes)).toBe(true);
      };
      const { fileID } = await storage.upload('reports/summary.bin', content);
      await isWhole(fileID);
      const copy = await storage.copy('/reports/summary.bin', '/archive/copy.bin');
      await isWhole(copy.fileID);
      const moved = await storage.move('/archive/copy.bin', '/archive/moved.bin');
      await isWhole(moved.fileID);
      await expect(storage.tempUrl(copy.fileID as string)).rejects.toMatchObject(MISSING);
      await storage.delete(fileID);
      await expect(storage.download(fileID)).rejects.toMatchObject(MISSING);
      await expect(storage.delete(fileID)).rejects.toMatchObject(MISSING);
      await isWhole(moved.fileID);
    });

    test('keep names and media types, however unusual', async () => {
      for (const path of ['报告/a b 100%/é.txt', "q/it's;a=b&c+d#e?.txt", 'emoji/🚢.txt']) {
        const { fileID } = await storage.upload(path, path, { contentType: 'text/plain' });
        const response = await storage.download(fileID);
        expect(response.headers.get('content-type')).toMatch(/^text\/plain/);
        expect(await response.text()).toBe(path);
      }
      const { fileID } = await storage.upload('empty', '');
      expect(await textOf(fileID)).toBe('');
    });

    test('are replaced atomically, unless the caller forbids it', async () => {
      await storage.upload('from.txt', 'new');
      const { fileID } = await storage.upload('to.txt', 'old');
      const forbidden = { overwrite: false };
      for (const copy of [storage.copy, storage.move]) {
        await expect(copy('/from.txt', '/to.txt', forbidden)).rejects.toMatchObject({
          name: 'StorageError',
          code: 'OBJECT_ALREADY_EXIST',
        });
        expect(await textOf(fileID)).toBe('old');
      }
      await storage.copy('/from.txt', '/to.txt');
      expect(await textOf(fileID)).toBe('new');
    });

    test('have links that work for anybody, in parts too', async () => {
      const { fileID } = await storage.upload('public.txt', 'hello, world');
      const link = await storage.tempUrl(fileID, { maxAge: 60 });
      expect(await (await fetch(link)).text()).toBe('hello, world');
      const part = await fetch(link, { headers: { range: 'bytes=7-' } });
      expect([part.status, await part.text()]).toEqual([206, 'world']);
      expect((await fetch(link, { method: 'HEAD' })).headers.get('content-length')).toBe('12');
      expect((await fetch(link.replace('public.txt', 'from.txt'))).status).toBe(403);
    });

    test('may have the maximum size, and no more', async () => {
      const content = randomBytes(UPLOAD_BYTES);
      const { fileID } = await storage.upload('large.bin', content);
      const bytes = await (await storage.download(fileID)).bytes();
      expect(content.equals(bytes)).toBe(true);
      const more = Buffer.concat([content, Buffer.from('x')]);
      await expect(storage.upload('larger.bin', more)).rejects.toMatchObject({
        name: 'UploadError',
        code: 'EntityTooLarge',
      });
      const larger = fileID.replace('large.bin', 'larger.bin');
      await expect(storage.tempUrl(larger)).rejects.toMatchObject(MISSING);
    });

    test('can be handled in batches, and lists keep their order', async () => {
      const names = Array.from({ length: 30 }, (_, index) => `many/${index}.txt`);
      const uploads = await Promise.all(names.map((name) => storage.upload(name, name)));
      const ids = uploads.map(({ fileID }) => fileID);
      expect(await Promise.all(ids.map(textOf))).toEqual(names);
      const copies = await Promise.all(
        names.map((name) => storage.copy(`/${name}`, `/copy/${name}`)),
      );
      await Promise.all(copies.map(({ fileID }) => storage.delete(fileID as string)));
      const fileList = [...ids, 'cloud://dev.files/many/none.txt'];
      const path = '/api/v2/envs/{envId}/storages:batchDelete';
      const deleted = unwrapEnvelope(await storage.POST(path, { body: { fileList } }));
      expect(deleted.fileList.map(({ fileID, code }) => [fileID, code])).toEqual([
        ...ids.map((id) => [id, 'SUCCESS']),
        [fileList.at(-1), MISSING.code],
      ]);
    });

    test('are inaccessible without valid credentials', async () => {
      const { credentials } = deployed();
      const refused = { name: 'StorageError', code: 'SIGN_PARAM_INVALID' };
      const forged = {
        ...credentials(),
        authorization: credentials().authorization.replace(/.$/, 'x'),
      };
      const old = { ...credentials(), timestamp: 1_700_000_000 };
      for (const bad of [forged, old]) {
        await expect(withOptions({ credentials: bad }).upload('a.txt', 'a')).rejects.toMatchObject({
          ...refused,
          requestId: expect.any(String),
        });
      }
      for (const envId of ['other', 'none']) {
        await expect(withOptions({ envId }).upload('a.txt', 'a')).rejects.toMatchObject({
          name: 'StorageError',
          code: expect.stringMatching(
            /^(SIGN_PARAM_INVALID|INVALID_ENV|STORAGE_EXCEED_AUTHORITY)$/,
          ),
        });
      }
    });
  });
}
