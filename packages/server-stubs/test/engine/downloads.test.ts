import { describe, expect, test } from 'vitest';
import { deploy, link, put } from './support/client.ts';

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
    'content-disposition': 'attachment; filename="a.txt"',
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
  const whole = await get();
  for (const headers of [{}, { range: 'bytes=0-1' }, { range: 'bytes=99-' }]) {
    const response = await get(headers, 'HEAD');
    expect(response.status).toBe(200);
    expect(await response.text()).toBe('');
    for (const name of ['content-length', 'content-type', 'etag', 'content-disposition']) {
      expect(response.headers.get(name)).toBe(whole.headers.get(name));
    }
  }
});

describe('a range', () => {
  test.each([
    ['bytes=0-3', '0123', 'bytes 0-3/10'],
    ['bytes=4-', '456789', 'bytes 4-9/10'],
  ])('%s', async (range, text, contentRange) => {
    const { get } = await download();
    const response = await get({ range });
    expect(response.status).toBe(206);
    expect(response.headers.get('content-range')).toBe(contentRange);
    expect(response.headers.get('content-length')).toBe(String(text.length));
    expect(await response.text()).toBe(text);
  });

  test('outside the file is refused with the size', async () => {
    const { get } = await download();
    const response = await get({ range: 'bytes=10-' });
    expect(response.status).toBe(416);
    expect(response.headers.get('content-range')).toBe('bytes */10');
    expect(response.headers.get('content-type')).toBe('application/xml');
    expect(response.headers.get('content-disposition')).toBeNull();
    expect(await response.text()).toContain('<Error>');
  });

  test('applies only to the version that If-Range names', async () => {
    const { get, etag } = await download();
    const range = 'bytes=0-1';
    expect((await get({ range, 'if-range': etag })).status).toBe(206);
    expect((await get({ range, 'if-range': '"another"' })).status).toBe(200);
  });
});

test('a version that the client has is not sent again', async () => {
  const { get, etag } = await download();
  for (const method of ['GET', 'HEAD']) {
    const response = await get({ 'if-none-match': etag }, method);
    expect(response.status).toBe(304);
    expect(response.headers.get('etag')).toBe(etag);
    expect(response.headers.get('cache-control')).toBe('private, no-cache');
    expect(response.headers.get('content-length')).toBeNull();
    expect(await response.text()).toBe('');
  }
  expect((await get({ 'if-none-match': '"another"' })).status).toBe(200);
  expect((await get({ 'if-match': '"another"' })).status).toBe(412);
});
