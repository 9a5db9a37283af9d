import { UploadError } from '@berth/server-stubs';
import { createMemoryStore, type SignedUse } from '@berth/server-stubs/engine';
import { expect, test } from 'vitest';
import { deploy, grant, link, post, put, toFields } from './support/client.ts';

test('each use of a grant or link is authorized, with the caller who requested it', async () => {
  const uses: SignedUse[] = [];
  let isAllowed = true;
  const to = await deploy({
    async authorizeUse(use) {
      uses.push(use);
      if (!isAllowed) throw new UploadError('AccessDenied', { message: 'Revoked.' });
      return undefined;
    },
  });
  const meta = await grant(to, 'a.txt');
  const address = await link(to, await put(to, 'a.txt', 'content'));
  expect(address).toContain('&by=tester&sign=');
  expect((await fetch(address)).status).toBe(200);
  const id = new URL(address).searchParams.get('sign');
  expect(uses.slice(1)).toEqual([{ kind: 'link', id, env: 'dev', caller: 'tester', seconds: 600 }]);
  expect(uses[0]).toMatchObject({ kind: 'grant', env: 'dev', caller: 'tester', seconds: 900 });

  isAllowed = false;
  expect((await fetch(address)).status).toBe(403);
  expect((await post(meta.url, toFields('a.txt', meta), 'other')).status).toBe(403);
  isAllowed = true;
  expect(await (await fetch(address)).text()).toBe('content');
  for (const by of ['', '&by=', '&by=other']) {
    expect((await fetch(address.replace('&by=tester', by))).status).toBe(403);
  }
});

test('the use of a grant is released if the upload fails', async () => {
  const log: string[] = [];
  const blobs = createMemoryStore();
  let isBroken = true;
  const to = await deploy({
    blobs: {
      ...blobs,
      async write(...args) {
        if (isBroken) throw new Error('broken');
        return blobs.write(...args);
      },
    },
    async authorizeUse({ id }) {
      log.push(`use ${id}`);
      return async () => void log.push(`release ${id}`);
    },
  });
  const meta = await grant(to, 'a.txt');
  const { storeFileID } = meta;
  expect((await post(meta.url, toFields('a.txt', meta), 'content')).status).toBe(500);
  isBroken = false;
  expect((await post(meta.url, toFields('a.txt', meta), 'content')).status).toBe(204);
  expect(log).toEqual([`use ${storeFileID}`, `release ${storeFileID}`, `use ${storeFileID}`]);
});
