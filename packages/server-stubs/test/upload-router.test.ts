import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import {
  type Call,
  createUploadRouter,
  type UploadHandler,
  type UploadInput,
} from '@berth/server-stubs';
import { XMLParser } from 'fast-xml-parser';
import { expect, test, vi } from 'vitest';
import { send } from './support/send.ts';
import { open, receive } from './support/send-raw.ts';
import { serve } from './support/serve.ts';

/** Hashes the file, whose content is in no other response. */
const md5: UploadHandler = async ({ key, file }) => {
  const hash = createHash('md5');
  for await (const chunk of file) hash.update(chunk);
  return { etag: hash.digest('hex'), location: `https://files.example/${key}`, bucket: 'files' };
};

const etagOf = (content: string) => `"${createHash('md5').update(content).digest('hex')}"`;

type Options = Parameters<typeof createUploadRouter>[1];

const upload = (uploadFile: UploadHandler = md5, options: Options = {}) =>
  serve(createUploadRouter({ uploadFile }, options));

const HEAD = '--x\r\nContent-Disposition: form-data; name=';
const END = '\r\n--x--\r\n';
const FILE = `${HEAD}"file"; filename="a.txt"\r\nContent-Type: Text/Plain; charset=UTF-8; a=b\r\n\r\n`;
const field = (name: string, value: string) => `${HEAD}"${name}"\r\n\r\n${value}\r\n`;
const GRANT =
  field('Signature', 'sign') +
  field('x-store-security-token', 'token') +
  field('x-store-meta-fileid', 'meta');
const FIELDS = field('key', 'a.txt') + GRANT;

/** Sends a form in chunks of a size. */
async function post(
  base: string,
  form: string,
  { size = form.length, type = 'multipart/form-data; boundary=x' } = {},
) {
  async function* chunks() {
    const bytes = Buffer.from(form);
    for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
  }
  const headers = { 'content-type': type };
  return send(base, '/', { method: 'POST', headers, body: chunks() });
}

const parse = (xml: string) => new XMLParser({ ignoreDeclaration: true }).parse(xml);

test('the handler gets the fields, and the file as a stream', async () => {
  const seen: Partial<UploadInput>[] = [];
  const base = await upload(async ({ file, ...rest }) => {
    seen.push(rest);
    return { etag: (await buffer(file)).toString(), location: 'https://files.example/\ud800' };
  });
  const image = `${HEAD}"x"; filename="; name=file"\r\nContent-Type: image/png\r\n\r\nb\r\n`;
  const similar = `${HEAD}"file x"\r\nContent-Type: text/html\r\n\r\nb\r\n`;
  const fields = `${field('key', 'reports/中文.txt')}${GRANT}${field('X-Own', 'kept')}`;
  const form = `${fields}${image}${similar}${FILE}hello${END}`;
  const location = 'https://files.example/%EF%BF%BD';
  expect((await post(base, form)).headers).toMatchObject({ etag: '"hello"', location });
  expect(seen).toMatchObject([
    {
      key: 'reports/中文.txt',
      signature: 'sign',
      token: 'token',
      metaFileId: 'meta',
      contentType: 'text/plain; charset=utf-8',
    },
  ]);
  expect(seen[0]?.fields?.get('x-own')).toBe('kept');
});

test.each(['200', '201', '204', '303'])('a form may request the status %s', async (status) => {
  const fields = field('success_action_status', status) + field('key', '中 & <b>.txt') + GRANT;
  const response = await post(await upload(), `${fields}${FILE}hello${END}`);
  expect(response.status).toBe(status === '303' ? 204 : Number(status));
  expect(response.headers.etag).toBe(etagOf('hello'));
  const location = 'https://files.example/%E4%B8%AD%20&%20<b>.txt';
  expect(response.headers.location).toBe(location);
  if (status !== '201') return expect(response.text).toBe('');
  expect(response.headers['content-type']).toBe('application/xml');
  expect(parse(response.text)).toEqual({
    PostResponse: {
      Location: location,
      Bucket: 'files',
      Key: '中 & <b>.txt',
      ETag: etagOf('hello'),
    },
  });
});

const FORM = `${FIELDS}${FILE}hello${END}`;

test.each([
  ['as browsers write it', FORM],
  ['without a file name', `${FIELDS}${HEAD}"file"\r\n\r\nhello${END}`],
  ['with white space after boundaries', FORM.replaceAll('--x\r', '--x \t\r')],
  ['with an empty file', `${FIELDS}${FILE}${END}`, ''],
  ['with an empty file and no line break', `${FIELDS}${FILE}--x--`, ''],
  ['with an empty field', `${HEAD}"a"\r\n\r\n${FORM}`],
  ['with a preamble and an epilogue', `hi\r\n${FORM}bye\r\n\r\n`],
  ['with parts after the file', `${FIELDS}${FILE}hello\r\n${FORM}`],
  ['with another file', `${HEAD}"a"; filename="b"\r\n\r\nb\r\n${FORM}`],
  ['with unquoted names', FORM.replaceAll(/name="(.+?)"/g, 'name=$1')],
  ['with names in capitals', FORM.replaceAll(/"[\w-]+"/g, (text) => text.toUpperCase())],
  ['with headers on a field', FORM.replace('"key"', '"key"\r\nContent-Type: text/plain')],
  ['with half a line break at its end', FORM.slice(0, -1)],
  ['with line breaks as content', FORM.replace('hello', '\r\n\r\n'), '\r\n\r\n'],
  ['with a delimiter that does not end', FORM.replace('hello', '\r\n--y\r\n-'), '\r\n--y\r\n-'],
  ...['C:\\dir\\x.txt', 'a\\"b.txt', '../../etc/passwd', 'a.txt"; name="key', '%0D%0Ax'].map(
    (name) => [`with the file name ${name}`, FORM.replace('"a.txt"', () => `"${name}"`)],
  ),
])('a form %s is read, however its bytes arrive', async (_, form = '', content = 'hello') => {
  const base = await upload();
  const types = ['multipart/form-data; boundary=x', 'Multipart/Form-Data; a=b; BOUNDARY="x"'];
  for (const [index, size] of [1, 7, form.length].entries()) {
    const { status, headers } = await post(base, form, { size, type: types[index % 2] as string });
    expect([status, headers.etag]).toEqual([204, etagOf(content)]);
  }
});

const MANY_FIELDS = Array.from({ length: 101 }, (_, at) => field(`a${at}`, '')).join('');
const UNREADABLE = /^The form cannot be read/;
const NO_KEY = /has no key field: send it before the file/;
const LONG_HEAD = /^The headers of a part are larger than 16384 bytes\.$/;

test.each([
  ['no boundary', 'x', UNREADABLE, 'multipart/form-data'],
  ['no end', field('a', 'b'), UNREADABLE],
  ['no end of its file', `${FIELDS}${FILE}b`, UNREADABLE],
  ['a field without a name', `--x\r\nContent-Disposition: form-data\r\n\r\nb${END}`, UNREADABLE],
  ['nothing of a form', 'hello', UNREADABLE],
  ['no file', `${FIELDS}--x--`, /^The form has no file field: send it as the last field\.$/],
  ['its key last', `${GRANT}${FILE}b\r\n${FIELDS}--x--`, NO_KEY],
  ['an empty key', `${field('key', '')}${GRANT}${FILE}b${END}`, /^The key field is empty\.$/],
  ['a field twice', `${FIELDS}${field('KEY', 'b')}${FILE}b${END}`, /contains the KEY field twice/],
  ['a long field', `${field('a', 'x'.repeat(70_000))}${FILE}`, /more than 65536 bytes in field a/],
  ['many fields', `${MANY_FIELDS}${FILE}`, /more than 100 fields/],
  ['a long header', `--x\r\nA: ${'x'.repeat(20_000)}`, LONG_HEAD],
  ['many headers', `${FIELDS}${HEAD}"file"${'\r\nA: 1'.repeat(6_000)}${END}`, LONG_HEAD],
])('a form with %s is rejected', async (_, form, message, type?: string) => {
  const onError = vi.fn();
  const base = await upload(md5, { onError });
  const { status, text } = await post(base, form, type === undefined ? {} : { type });
  expect([status, parse(text)]).toMatchObject([400, { Error: { Code: 'MalformedPOSTRequest' } }]);
  expect(parse(text).Error.Message).toMatch(message);
  expect(onError).not.toHaveBeenCalled();
});

test('a file that is too large is rejected, and one that just fits is not', async () => {
  const base = await upload(md5, { fileBytes: 5 });
  expect((await post(base, `${FIELDS}${FILE}hello${END}`)).status).toBe(204);
  const { status, text } = await post(base, `${FIELDS}${FILE}hello!${END}`);
  const error = { Code: 'EntityTooLarge', Resource: '/a.txt' };
  expect([status, parse(text)]).toMatchObject([400, { Error: error }]);
});

/** Starts to send a form in a request that announces more bytes. */
async function start(base: string, form: string, length: number) {
  const socket = await open(base);
  const type = 'multipart/form-data; boundary=x';
  socket.write(
    `POST / HTTP/1.1\r\nHost: a\r\nContent-Type: ${type}\r\nContent-Length: ${length}\r\n\r\n${form}`,
  );
  return socket;
}

test('an aborted form never ends the stream of its file', async () => {
  const outcome = Promise.withResolvers<unknown>();
  const base = await upload(async ({ file }) => {
    const content = buffer(file);
    content.then(() => outcome.resolve('ended'), outcome.resolve);
    return { etag: String(await content), location: '' };
  });
  // The file is complete, but the closing boundary is missing.
  const socket = await start(base, `${FIELDS}${FILE}hello\r\n--x\r\n`, 9999);
  socket.end().resume();
  expect(await outcome.promise).toBeInstanceOf(Error);
});

test('backpressure of the handler reaches the client', async () => {
  const release = Promise.withResolvers<void>();
  const base = await upload(async ({ file }) => {
    await release.promise;
    let size = 0;
    for await (const chunk of file) size += chunk.length;
    return { etag: String(size), location: 'https://files.example/a' };
  });
  const form = `${FIELDS}${FILE}`;
  const size = 64 * 1024 * 1024;
  const socket = await start(base, form, form.length + size + END.length);
  let sent = 0;
  function* chunks() {
    for (; sent < size; sent += 1024 * 1024) yield Buffer.alloc(1024 * 1024);
    yield END;
  }
  Readable.from(chunks()).pipe(socket, { end: false });
  // A server that buffered would accept all of it.
  await expect.poll(() => socket.writableNeedDrain).toBe(true);
  expect(sent).toBeLessThan(size);
  release.resolve();
  expect(await receive(socket, 'etag')).toContain(`"${size}"`);
  socket.destroy();
});

test('onCall gets the operation and the request ID of a call whose client leaves before the response', async () => {
  const onCall = vi.fn();
  const onResponse = vi.fn();
  const base = await upload(md5, { onCall, onResponse });
  const socket = await start(base, FIELDS, 1000);
  await expect.poll(() => onCall.mock.lastCall).toBeDefined();
  const [{ operationId, requestId, signal }] = onCall.mock.lastCall as [Call];
  expect([operationId, requestId]).toEqual(['uploadFile', expect.stringMatching(/^[\da-f-]{36}$/)]);
  socket.destroy();
  await expect.poll(() => signal.aborted).toBe(true);
  expect(onResponse).not.toHaveBeenCalled();
});
