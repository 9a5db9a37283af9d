import { expect, test } from 'vitest';
import { expectDocumented } from './support/expect-documented.ts';
import { createMemoryDeployment, STORAGE_HEADERS } from './support/memory-deployment.ts';
import { serve } from './support/serve.ts';

async function deploy(): Promise<string> {
  let base = '';
  base = await serve(createMemoryDeployment(() => base));
  return base;
}

async function post(base: string, operation: string, body: object) {
  const response = await fetch(`${base}/api/v2/envs/dev/storages:${operation}`, {
    method: 'POST',
    headers: { ...STORAGE_HEADERS, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  return response.json() as Promise<{ body: { data: never } }>;
}

test('a file goes through its life cycle, and each response matches the schema', async () => {
  const base = await deploy();
  const granted = await post(base, 'getUploadMetaData', { path: 'a/中文.txt' });
  expectDocumented(granted, 'GetUploadMetaDataResult');
  const grant: Record<'url' | 'token' | 'authorization' | 'fileID' | 'storeFileID', string> =
    granted.body.data;

  const form = new FormData();
  form.append('key', 'a/中文.txt');
  form.append('Signature', grant.authorization);
  form.append('x-store-security-token', grant.token);
  form.append('x-store-meta-fileid', grant.storeFileID);
  form.append('file', new Blob(['hello']), 'a.txt');
  expect((await fetch(grant.url, { method: 'POST', body: form })).status).toBe(204);

  const copy = { srcPath: '/a/中文.txt', dstPath: '/b.txt', removeOriginal: true };
  const copied = await post(base, 'batchCopyFile', { data: { fileList: [copy, copy] } });
  expectDocumented(copied, 'BatchCopyFileResult');
  expect(copied.body.data).toMatchObject({
    fileList: [{ fileID: 'cloud://dev.files/b.txt' }, { code: 'STORAGE_FILE_NONEXIST' }],
  });

  const linked = await post(base, 'batchGetTempUrls', {
    fileList: [{ fileID: 'cloud://dev.files/b.txt', maxAge: 600 }, { fileID: grant.fileID }],
  });
  expectDocumented(linked, 'BatchGetTempUrlsResult');
  const { fileList: links } = linked.body.data as { fileList: { tempFileURL: string }[] };
  expect(await (await fetch(String(links[0]?.tempFileURL))).text()).toBe('hello');
  expect(links[1]).toMatchObject({ code: 'STORAGE_FILE_NONEXIST', tempFileURL: '' });

  const deleted = await post(base, 'batchDelete', { fileList: ['cloud://dev.files/b.txt'] });
  expectDocumented(deleted, 'BatchDeleteResult');
  expectDocumented(await post(base, 'batchDelete', { fileList: 'all' }), 'ErrorResponse');
});
