import { describe, expect, it, vi } from 'vitest';
import { envelope, failureOf, list } from '../../test/support/fake-fetch.ts';
import { storageWith } from '../../test/support/storage.ts';

const link = (tempFileURL: unknown) => list({ fileID: 'a', code: 'SUCCESS', tempFileURL });

describe('tempUrl', () => {
  it.each([1, 600, 3600])('sends maxAge %d without a warning', async (maxAge) => {
    const { storage, requests, warnings } = storageWith([link('https://h/a')]);
    await storage.tempUrl('a', { maxAge });
    expect(await requests[0]?.json()).toEqual({ fileList: [{ fileID: 'a', maxAge }] });
    expect(warnings).toEqual([]);
  });

  it.each([
    ['reports/a.txt', 'No link to reports/a.txt (a path, not an ID): '],
    ['cloud://dev.files/a.txt', 'No link to cloud://dev.files/a.txt: '],
    ['5f2c', 'No link to 5f2c: '],
  ])('refuses %s with a hint if it is a path', async (fileID, message) => {
    const missing = { fileID, code: 'STORAGE_FILE_NONEXIST', tempFileURL: '' };
    const { storage } = storageWith([list(missing)]);
    expect(String(await failureOf(storage.download(fileID)))).toContain(message);
  });

  it('warns above 3600 and sends maxAge as given', async () => {
    const { storage, requests, warnings } = storageWith([link('https://h/a')]);
    await storage.tempUrl('a', { maxAge: 1_000_000 });
    expect(await requests[0]?.json()).toMatchObject({ fileList: [{ maxAge: 1_000_000 }] });
    expect(warnings).toEqual([expect.stringContaining('1000000 is above 3600')]);
  });

  it('warns on the console by default', async () => {
    const warn = vi.spyOn(console, 'warn').mockReturnValue();
    const { storage } = storageWith([link('https://h/a')], { onWarning: undefined });
    await storage.tempUrl('a', { maxAge: 3601 });
    expect(warn).toHaveBeenCalledOnce();
    warn.mockRestore();
  });

  it.each([0, -1, 0.5, Number.NaN, Number.POSITIVE_INFINITY, '60' as never, null as never])(
    'refuses maxAge %s and sends nothing',
    async (maxAge) => {
      const { storage, requests } = storageWith([]);
      expect(await failureOf(storage.tempUrl('a', { maxAge }))).toBeInstanceOf(RangeError);
      expect(requests).toEqual([]);
    },
  );

  it.each([
    [
      'a failed file',
      list({ fileID: 'a', code: 'STORAGE_FILE_NONEXIST', tempFileURL: '' }),
      'STORAGE_FILE_NONEXIST',
    ],
    ['a failed call', envelope({ code: 'SYS_ERR' }, 200), 'SYS_ERR'],
    ['an empty list', list(), undefined],
    ['no list', envelope({ data: {} }), undefined],
    ['an empty link', link(''), undefined],
    ['no link', link(undefined), undefined],
  ])('throws on %s', async (_, response, code) => {
    const error = await failureOf(storageWith([response]).storage.tempUrl('cloud://a'));
    expect(error).toMatchObject({ name: 'StorageError', code, requestId: 'r-1' });
    expect(String(error)).toContain('No link to cloud://a');
  });
});
