import { randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { send } from '../../server-stubs/test/support/send.ts';
import { call, deploy, errorOf, grant, link, put } from './support/client.ts';

test('a link works for as long as requested, and no longer', async () => {
  const to = await deploy();
  const address = await link(to, await put(to, 'a.txt', 'hello'), 60);
  to.clock.now += 60_000 - 1;
  expect(await (await fetch(address)).text()).toBe('hello');
  to.clock.now += 1;
  const response = await fetch(address);
  expect(response.status).toBe(403);
  expect(response.headers.get('cache-control')).toBe('no-store');
  expect(await errorOf(response)).toEqual({
    Code: 'AccessDenied',
    Message: 'The link has expired: request a new one with batchGetTempUrls.',
    Resource: '/files/dev/files/a.txt',
    RequestId: response.headers.get('x-request-id'),
    TraceId: response.headers.get('x-request-id'),
  });
});

describe('a forged link is rejected:', () => {
  const forge = async (forged: (url: URL) => unknown) => {
    const to = await deploy();
    await put(to, 'b.txt', 'secret');
    await put(to, 'a.txt', 'secret', { env: 'other' });
    const url = new URL(await link(to, await put(to, 'a.txt', 'hello')));
    forged(url);
    const response = await fetch(url);
    expect(response.status).toBe(403);
    expect((await errorOf(response)).Code).toBe('SignatureDoesNotMatch');
    expect(to.errors).toEqual([]);
  };
  const set = (name: string, value: string) => (url: URL) => url.searchParams.set(name, value);
  const change = (name: string, to: (value: string) => string) => (url: URL) =>
    url.searchParams.set(name, to(String(url.searchParams.get(name))));
  const path = (pathname: string) => (url: URL) => Object.assign(url, { pathname });

  test.each<[string, (url: URL) => unknown]>([
    ['of another file', path('/files/dev/files/b.txt')],
    ['of another environment', path('/files/other/files/a.txt')],
    ['of another bucket', path('/files/dev/secrets/a.txt')],
    ['whose parts are shifted', path('/files/dev/files%2Fa.txt/')],
    ['without a file', path('/files/')],
    ['that cannot be decoded', path('/files/dev/files/%zz')],
    ['that lasts longer', set('expires', '99999999999999')],
    ['that never expires', set('expires', 'Infinity')],
    ['with a wrong signature', set('sign', '0'.repeat(64))],
    ['with an empty signature', set('sign', '')],
    ['with its time in another format', change('expires', (time) => `0${time}`)],
    ['with an uppercase signature', change('sign', (sign) => sign.toUpperCase())],
    ['without a time', ({ searchParams }) => searchParams.delete('expires')],
    ['without a signature', ({ searchParams }) => searchParams.delete('sign')],
  ])('%s', (_, forged) => forge(forged));
});

test("a grant's signature is not a link", async () => {
  const to = await deploy();
  await put(to, 'a.txt', 'hello');
  const { authorization, token, storeFileID } = await grant(to, 'a.txt');
  for (const expires of [token, storeFileID, String(to.clock.now + 1000)]) {
    const query = new URLSearchParams({ expires, sign: authorization });
    const response = await fetch(`${to.base}/files/dev/files/a.txt?${query}`);
    expect((await errorOf(response)).Code).toBe('SignatureDoesNotMatch');
  }
});

test('a link signed with another key is rejected, but one with an older key is not', async () => {
  const [old, current] = [randomBytes(32), randomBytes(32)];
  const before = await deploy({ keys: [old] });
  const { pathname, search } = new URL(await link(before, await put(before, 'a.txt', 'hello')));
  const { blobs } = before;
  const stranger = await deploy({ keys: [current], blobs });
  expect((await fetch(`${stranger.base}${pathname}${search}`)).status).toBe(403);
  const rotated = await deploy({ keys: [current, old], blobs });
  expect((await fetch(`${rotated.base}${pathname}${search}`)).status).toBe(200);
});

test('an item that cannot be linked to fails alone, with an empty URL', async () => {
  const to = await deploy();
  const good = await put(to, 'a.txt', 'hello');
  const items = [
    [{ fileID: good }, 'SUCCESS'],
    [{ fileID: good, maxAge: 1 }, 'SUCCESS'],
    [{ fileID: good, maxAge: 604_800 }, 'SUCCESS'],
    [{ fileID: good, maxAge: 604_801 }, 'INVALID_PARAM'],
    [{ fileID: good, maxAge: 0 }, 'INVALID_PARAM'],
    [{ fileID: good, maxAge: -1 }, 'INVALID_PARAM'],
    [{ fileID: good, maxAge: 1.5 }, 'INVALID_PARAM'],
    [{ fileID: good, maxAge: 1e300 }, 'INVALID_PARAM'],
    [{ fileID: 'cloud://dev.files/b.txt' }, 'STORAGE_FILE_NONEXIST'],
    [{ fileID: 'cloud://other.files/a.txt' }, 'STORAGE_FILE_NONEXIST'],
    [{ fileID: 'cloud://dev.other/a.txt' }, 'STORAGE_FILE_NONEXIST'],
    [{ fileID: 'a.txt' }, 'STORAGE_FILE_NONEXIST'],
    [{ fileID: '' }, 'STORAGE_FILE_NONEXIST'],
  ] as const;
  const { status, data } = await call(to, 'batchGetTempUrls', {
    fileList: items.map(([item]) => item),
  });
  expect(status).toBe(200);
  expect(data.fileList).toEqual(
    items.map(([{ fileID }, code]) => ({
      fileID,
      code,
      tempFileURL: code === 'SUCCESS' ? expect.stringContaining('/files/dev/files/a.txt?') : '',
    })),
  );
});

test('the limits for link lifetimes are options; one that is undefined is the default', async () => {
  const to = await deploy({ limits: { linkSeconds: 5, linkMaxSeconds: 10 } });
  const fileID = await put(to, 'a.txt', 'hello');
  const address = await link(to, fileID);
  expect(await link(to, fileID, 11)).toBe('');
  to.clock.now += 5000;
  expect((await fetch(address)).status).toBe(403);
  const other = await deploy({ limits: { linkSeconds: undefined, linkMaxSeconds: 300 } });
  const unlimited = await link(other, await put(other, 'a.txt', 'hello'));
  expect((await fetch(unlimited)).status).toBe(200);
  const limits = { linkSeconds: 2, linkMaxSeconds: 1 };
  await expect(deploy({ limits })).rejects.toThrow('limits.linkSeconds must not exceed');
  for (const name of ['grantSeconds', 'linkSeconds', 'linkMaxSeconds']) {
    for (const seconds of [0, 1.5, Number.NaN]) {
      const invalid = deploy({ limits: { [name]: seconds } });
      await expect(invalid).rejects.toThrow(`limits.${name} must be a positive integer`);
    }
  }
});

test('the URL may depend on the request', async () => {
  const to = await deploy({ publicUrl: ({ headers }) => `https://${headers.host}/base` });
  const { host } = new URL(to.base);
  expect((await grant(to, 'a.txt')).url).toBe(`https://${host}/base/upload`);
});

test('other methods are rejected, and browsers may send a preflight', async () => {
  const to = await deploy();
  const { pathname, search } = new URL(await link(to, await put(to, 'a.txt', 'hello')));
  for (const method of ['POST', 'PUT', 'DELETE', 'PATCH']) {
    const rejected = await send(to.base, pathname + search, { method });
    expect(rejected.status).toBe(405);
    expect(rejected.headers.allow).toBe('GET, HEAD, OPTIONS');
    expect(rejected.text).toContain('<Error>');
  }
  const preflight = await send(to.base, pathname, {
    method: 'OPTIONS',
    headers: { origin: 'https://app.example.com' },
  });
  expect(preflight.status).toBe(204);
  expect(preflight.headers).toMatchObject({
    'access-control-allow-origin': '*',
    'access-control-allow-methods': 'GET, HEAD, OPTIONS',
    'access-control-allow-headers': expect.stringContaining('Range'),
    'x-request-id': expect.any(String),
  });
});

const CONTENT = '0123456789';

async function download(path = 'a.txt', content = CONTENT) {
  const to = await deploy();
  const address = await link(to, await put(to, path, content, { type: 'text/html' }));
  const get = (headers: Record<string, string> = {}, method = 'GET') =>
    fetch(address, { headers, method });
  const etag = `"${(await to.blobs.stat({ env: 'dev', path }))?.etag}"`;
  return { ...to, address, etag, get };
}

test('a file is returned unchanged, and is safe for browsers', async () => {
  const { get, etag } = await download();
  const response = await get();
  expect(response.status).toBe(200);
  expect(Object.fromEntries(response.headers)).toMatchObject({
    'accept-ranges': 'bytes',
    'access-control-allow-origin': '*',
    'access-control-expose-headers': expect.stringContaining('ETag'),
    'cache-control': 'private, no-cache',
    'content-disposition': 'attachment; filename=a.txt',
    'content-length': '10',
    'content-security-policy': 'sandbox',
    'content-type': 'text/html',
    etag,
    'x-content-type-options': 'nosniff',
    'x-request-id': expect.stringMatching(/^[0-9a-f-]{36}$/),
  });
  expect(await response.text()).toBe(CONTENT);
});

test('HEAD returns everything but the content, and ignores ranges', async () => {
  const { get } = await download();
  const full = await get();
  for (const headers of [{}, { range: 'bytes=0-1' }, { range: 'bytes=99-' }]) {
    const response = await get(headers, 'HEAD');
    expect(response.status).toBe(200);
    expect(await response.text()).toBe('');
    for (const name of ['content-length', 'content-type', 'etag', 'content-disposition']) {
      expect(response.headers.get(name)).toBe(full.headers.get(name));
    }
  }
});

test('If-Range selects the version; an unsatisfiable range gets a 416', async () => {
  const { get, etag } = await download();
  const response = await get({ range: 'bytes=4-6', 'if-range': etag });
  expect(response.status).toBe(206);
  expect(response.headers.get('content-range')).toBe('bytes 4-6/10');
  expect(response.headers.get('content-length')).toBe('3');
  expect(await response.text()).toBe('456');
  for (const version of ['"another"', `W/${etag}`, 'Mon, 02 Nov 2099 08:59:59 GMT']) {
    expect((await get({ range: 'bytes=4-6', 'if-range': version })).status).toBe(200);
  }
  const rejected = await get({ range: 'bytes=10-' });
  expect(rejected.status).toBe(416);
  expect(rejected.headers.get('content-range')).toBe('bytes */10');
  expect(rejected.headers.get('content-type')).toBe('application/xml');
  expect(rejected.headers.get('content-disposition')).toBeNull();
  expect(await rejected.text()).toContain('<Error>');
});

test('a version that the client has is not sent again', async () => {
  const { get, etag } = await download();
  for (const method of ['GET', 'HEAD']) {
    const response = await get({ 'if-none-match': etag }, method);
    expect(response.status).toBe(304);
    expect(response.headers.get('etag')).toBe(etag);
    expect(response.headers.get('cache-control')).toBe('private, no-cache');
    expect(response.headers.get('content-length')).toBeNull();
  }
  expect((await get({ 'if-match': '"another"' })).status).toBe(412);
});

test('a link may be requested with an absolute target', async () => {
  const to = await deploy();
  const address = await link(to, await put(to, 'a.txt', 'hello'));
  expect((await send(to.base, address)).text).toBe('hello');
});
