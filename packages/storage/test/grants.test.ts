import { UploadError } from '@berth/server-stubs';
import type { SignedUse } from '@berth/storage';
import { expect, test } from 'vitest';
import { contentOf, deploy, errorOf, grant, link, post, put, toFields } from './support/client.ts';

test('a grant is valid for its lifetime, and no longer', async () => {
  const to = await deploy();
  const meta = await grant(to, 'a.txt');
  to.clock.now += 900_000 - 1;
  expect((await post(meta.url, toFields('a.txt', meta), 'hello')).status).toBe(204);
  to.clock.now += 1;
  const response = await post(meta.url, toFields('a.txt', meta), 'later');
  expect(response.status).toBe(403);
  expect(await errorOf(response)).toMatchObject({
    Code: 'AccessDenied',
    Message: 'The grant is no longer valid: request a new one with getUploadMetaData.',
    Resource: '/a.txt',
  });
  expect(await contentOf(to, 'a.txt')).toBe('hello');
});

test("a link's signature is not a grant", async () => {
  const to = await deploy();
  const meta = await grant(to, 'a.txt');
  const address = new URL(await link(to, await put(to, 'a.txt', 'hello')));
  const sign = address.searchParams.get('sign') as string;
  const expires = address.searchParams.get('expires') as string;
  // A link signs the environment, bucket, path and time. Here, they are in the fields of a grant.
  const tries = [
    { ...meta, authorization: sign },
    { ...meta, authorization: sign, token: 'dev', storeFileID: 'files' },
    { ...meta, authorization: sign, token: expires },
  ];
  for (const forged of tries) {
    const response = await post(meta.url, toFields('a.txt', forged), 'changed');
    expect((await errorOf(response)).Code).toBe('SignatureDoesNotMatch');
  }
  expect(await contentOf(to, 'a.txt')).toBe('hello');
});

test('a grant and a link end with their environment, and with its bucket', async () => {
  let bucket: string | undefined = 'files';
  const to = await deploy({ bucketOf: () => bucket });
  const meta = await grant(to, 'a.txt');
  const address = await link(to, await put(to, 'b.txt', 'hello'));
  for (const next of [undefined, 'another']) {
    bucket = next;
    const response = await post(meta.url, toFields('a.txt', meta), 'hello');
    expect((await errorOf(response)).Code).toBe('AccessDenied');
    expect((await fetch(address)).status).toBe(404);
  }
  bucket = 'files';
  expect(await contentOf(to, 'a.txt')).toBeUndefined();
});

test('one grant allows only a few concurrent uploads, because each uses memory', async () => {
  const { blobs } = await deploy();
  const release = Promise.withResolvers<void>();
  const started = Promise.withResolvers<void>();
  let writes = 0;
  const to = await deploy({
    blobs: {
      ...blobs,
      async write(...args) {
        writes += 1;
        if (writes === 4) started.resolve();
        if (writes > 4) release.resolve();
        await release.promise;
        return blobs.write(...args);
      },
    },
  });
  const meta = await grant(to, 'a.txt');
  const upload = () => post(meta.url, toFields('a.txt', meta), 'hello');
  const first = Array.from({ length: 4 }, upload);
  await started.promise;
  const rejected = await upload();
  expect(rejected.status).toBe(503);
  expect(rejected.headers.get('retry-after')).toBe('1');
  expect((await errorOf(rejected)).Code).toBe('SlowDown');
  // As when a server reloads its configuration.
  const reloaded = await deploy({ blobs: to.blobs, keys: to.keys });
  const url = meta.url.replace(to.base, reloaded.base);
  expect((await post(url, toFields('a.txt', meta), 'hello')).status).toBe(503);
  const other = put(to, 'other.txt', 'hello');
  release.resolve();
  for (const response of await Promise.all(first)) expect(response.status).toBe(204);
  await other;
  expect((await upload()).status).toBe(204);
});

test('each use of a grant or link is authorized, with the caller who requested it', async () => {
  const uses: SignedUse[] = [];
  let isAllowed = true;
  const to = await deploy({
    async authorizeUse(use) {
      uses.push(use);
      if (!isAllowed) throw new UploadError('AccessDenied', { message: 'Revoked.' });
    },
  });
  const meta = await grant(to, 'a.txt');
  const address = await link(to, await put(to, 'a.txt', 'content'));
  expect(address).toContain('&by=tester&sign=');
  expect((await fetch(address)).status).toBe(200);
  const id = new URL(address).searchParams.get('sign');
  expect(uses.slice(1)).toEqual([{ kind: 'link', id, env: 'dev', caller: 'tester' }]);
  expect(uses[0]).toMatchObject({ kind: 'grant', env: 'dev', caller: 'tester' });

  isAllowed = false;
  expect((await fetch(address)).status).toBe(403);
  expect((await post(meta.url, toFields('a.txt', meta), 'other')).status).toBe(403);
  isAllowed = true;
  expect(await (await fetch(address)).text()).toBe('content');
  for (const by of ['', '&by=', '&by=other']) {
    expect((await fetch(address.replace('&by=tester', by))).status).toBe(403);
  }
});

test('grants and links that an earlier version created are valid', async () => {
  const to = await deploy({ keys: [Buffer.alloc(32, 1)] });
  // JSON: dev, files, tester, the time when it expires, and a nonce.
  const claims =
    'WyJkZXYiLCJmaWxlcyIsInRlc3RlciIsMTc5NTE2OTcwMDUwMCwiYWMwMmJlYzMtOTdiMi00NGY3LTk2MWEtZjBiZmQ5NDU1NWU5Il0';
  const fields = {
    key: 'a.txt',
    Signature: '226162d5004ffdab25fc27ee401b84d23ab3fc942b26c658a62b2961c05e4e9e',
    'x-store-security-token': claims,
    'x-store-meta-fileid': '6a9f83cd-f1a1-47dc-a077-95de5959c287',
  };
  expect((await post(`${to.base}/upload`, fields, 'hello')).status).toBe(204);
  const query =
    'expires=1795169400500&by=tester&sign=c282366f260d777abff2e6693e1094d3361eed552e620a953d3f69ef3ea9ad7b';
  expect((await fetch(`${to.base}/files/dev/files/a.txt?${query}`)).status).toBe(200);
});
