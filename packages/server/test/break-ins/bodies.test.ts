import { once } from 'node:events';
import { request } from 'node:http';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { startWhole } from './support/start-whole.ts';

test('never decompresses: a compressed body is refused, or forwarded unchanged', async () => {
  const { dev, url, port, token, seen } = await startWhole();
  const bomb = gzipSync(Buffer.alloc(64 * 1024 * 1024));
  for (const encoding of ['gzip', 'deflate', 'br', 'gzip, gzip', 'x-gzip', 'zstd']) {
    const headers = { 'content-encoding': encoding };
    const { status, code } = await dev.call('batchDelete', bomb, headers);
    expect([encoding, status, code]).toEqual([encoding, 415, 'UNSUPPORTED_MEDIA_TYPE']);
    const form = await fetch(`${url}/upload`, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'multipart/form-data; boundary=x' },
      body: bomb,
    });
    expect([encoding, form.status, (await form.text()).includes('<Error>')]).toEqual([
      encoding,
      expect.toSatisfy((code) => code >= 400 && code < 500),
      true,
    ]);
  }
  const sent = request({
    port,
    host: '127.0.0.1',
    path: '/v1/cloudrun/hello/zip',
    method: 'POST',
    headers: {
      host: 'dev.localhost',
      authorization: `Bearer ${await token('dev')}`,
      'content-encoding': 'gzip',
    },
  }).end(bomb);
  const [response] = await once(sent, 'response');
  expect(response.resume().statusCode).toBe(200);
  expect(seen).toEqual([{ env: 'dev', target: '/zip' }]);
});
