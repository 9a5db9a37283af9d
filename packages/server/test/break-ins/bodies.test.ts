import { once } from 'node:events';
import { request } from 'node:http';
import { gzipSync } from 'node:zlib';
import { startStopwatch } from '@berth/runtimes/stopwatch';
import { expect, test } from 'vitest';
import { startWhole } from './support/start-whole.ts';
import { post, toFields } from './support/storage-client.ts';

const OPERATIONS = {
  getUploadMetaData: '"path":"a.txt"',
  batchGetTempUrls: '"fileList":[{"fileID":"cloud://dev.files/a.txt"}]',
  batchDelete: '"fileList":["cloud://dev.files/none"]',
  batchCopyFile: '"fileList":[{"srcPath":"/none","dstPath":"/b.txt"}]',
};

test.each(Object.entries(OPERATIONS))(
  '__proto__ in the body of %s has no effect',
  async (operation, body) => {
    const { dev, lines } = await startWhole();
    for (const evil of [
      `{${body},"__proto__":{"polluted":1}}`,
      `{"data":{${body},"__proto__":{"polluted":1}}}`,
      `{"__proto__":{${body}}}`,
      `{${body},"constructor":{"prototype":{"polluted":1}}}`,
      `{${body},"deep":[{"__proto__":{"polluted":1}}]}`,
      `{${body},"\\u005f_proto__":{"polluted":1}}`,
    ]) {
      const { status, code } = await dev.call(operation, evil);
      expect([evil, status, code]).toEqual([evil, 400, 'INVALID_PARAM']);
    }
    // Member names of Object.prototype are ordinary names.
    const { status } = await dev.call(operation, `{"hasOwnProperty":1,"toString":null,${body}}`);
    expect(status).toBe(200);
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
    expect(lines.filter(({ level }) => level === 'error')).toEqual([]);
  },
);

test('a form may have fields with any name, and its grant is still checked', async () => {
  const { dev } = await startWhole();
  const meta = await dev.grant('a.txt');
  const names = [
    '__proto__',
    'constructor',
    'toString',
    '__proto__[key]',
    'key[]',
    'hasOwnProperty',
  ];
  const more = Object.fromEntries(names.map((name) => [name, 'b.txt']));
  const pairs = Object.defineProperty(more, '__proto__', { value: 'b.txt', enumerable: true });
  const response = await post(meta, 'a.txt', 'a', pairs);
  expect(response.status).toBe(204);
  expect(await dev.read('a.txt')).toBe('a');
  expect(({} as Record<string, unknown>).key).toBeUndefined();
  // Fields named like members of Object.prototype instead of their own names.
  const { key: _, ...rest } = toFields(meta, 'a.txt');
  const form = new FormData();
  for (const [name, value] of Object.entries(rest)) form.append(name, value);
  form.append('__proto__', 'a.txt');
  form.append('file', new Blob(['evil']), 'a.txt');
  expect((await fetch(meta.url, { method: 'POST', body: form })).status).toBe(400);
  expect(await dev.read('a.txt')).toBe('a');
});

test('never decompresses: a compressed body is refused, or forwarded unchanged', async () => {
  const { dev, url, port, token, seen } = await startWhole();
  const bomb = gzipSync(Buffer.alloc(64 * 1024 * 1024));
  const before = process.memoryUsage.rss();
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
  expect(process.memoryUsage.rss() - before).toBeLessThan(64 * 1024 * 1024);
});

const HUGE = [
  ['arrays', '['.repeat(500_000)],
  ['closed arrays', `${'['.repeat(400_000)}${']'.repeat(400_000)}`],
  ['objects', `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`],
  ['a deep field', `{"path":${'['.repeat(400_000)}${']'.repeat(400_000)}}`],
  ['many names', `{${Array.from({ length: 90_000 }, (_, at) => `"${at}":1`).join()}}`],
  ['a long number', `{"path":${'9'.repeat(900_000)}}`],
  ['a long text', `{"path":"${'a'.repeat(900_000)}"}`],
  ['a text of escapes', `{"path":"${'\\u0041'.repeat(150_000)}"}`],
];

test('huge JSON is refused quickly', async () => {
  const { dev, lines } = await startWhole();
  for (const [name, body] of HUGE) {
    const time = startStopwatch();
    const { status } = await dev.call('getUploadMetaData', body);
    expect([400, 413]).toContain(status);
    expect([name, time() < 5_000]).toEqual([name, true]);
  }
  expect(lines.filter(({ level }) => level === 'error')).toEqual([]);
});

test('refuses a form of countless fields or huge texts, and ignores long names', async () => {
  const { dev } = await startWhole();
  const meta = await dev.grant('a.txt');
  const many = Object.fromEntries(Array.from({ length: 20_000 }, (_, at) => [`f${at}`, 'x']));
  for (const more of [many, { x: 'x'.repeat(8 * 1024 * 1024) }]) {
    // The connection may be closed before everything is sent.
    const response = await post(meta, 'a.txt', 'a', more).catch(() => undefined);
    if (response === undefined) continue;
    expect(response.status).toBe(400);
    expect(await response.text()).toMatch(/<Code>(MalformedPOSTRequest|EntityTooLarge)</);
  }
  expect(await dev.read('a.txt')).toBeUndefined();
  // Names are truncated at the limit, and unknown fields are skipped.
  const named = await post(meta, 'a.txt', 'a', { ['key'.repeat(400_000)]: 'b.txt' });
  expect([204, 400]).toContain(named.status);
  expect(await dev.read('b.txt')).toBeUndefined();
});

test('a part with endless headers is refused', async () => {
  const { dev, url } = await startWhole();
  const { url: target } = await dev.grant('a.txt');
  const body = `--x\r\nContent-Disposition: form-data; name="key"\r\n${'X-A: b\r\n'.repeat(100_000)}\r\na\r\n--x--\r\n`;
  const headers = { 'content-type': 'multipart/form-data; boundary=x' };
  const response = await fetch(target, { method: 'POST', headers, body }).catch(() => undefined);
  if (response !== undefined) expect(response.status).toBe(400);
  expect((await fetch(`${url}/files/x`)).status).toBe(403);
});
