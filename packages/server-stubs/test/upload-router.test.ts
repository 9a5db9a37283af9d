import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { connect } from 'node:net';
import { buffer } from 'node:stream/consumers';
import {
  createUploadRouter,
  UploadError,
  type UploadHandler,
  type UploadInput,
} from '@berth/server-stubs';
import acme from '@berth/spec/wire-profiles/acme.json' with { type: 'json' };
import { XMLParser } from 'fast-xml-parser';
import { describe, expect, test, vi } from 'vitest';
import { send } from './support/send.ts';
import { receive } from './support/send-raw.ts';
import { serve } from './support/serve.ts';

const FIELDS = {
  key: 'reports/中文.txt',
  Signature: 'sign',
  'x-store-security-token': 'token',
  'x-store-meta-fileid': 'meta',
};

type Options = Parameters<typeof createUploadRouter>[1];

const md5: UploadHandler = async ({ key, file }) => {
  const hash = createHash('md5');
  for await (const chunk of file) hash.update(chunk);
  return { etag: hash.digest('hex'), location: `https://files.example/${key}`, bucket: 'files' };
};

const upload = (uploadFile: UploadHandler = md5, options: Options = {}) =>
  serve(createUploadRouter({ uploadFile }, options));

function form(fields: Readonly<Record<string, string>>, file = new Blob(['hello'])): FormData {
  const data = new FormData();
  for (const [name, value] of Object.entries(fields)) data.append(name, value);
  data.append('file', file, 'a.txt');
  return data;
}

const post = (base: string, body: FormData, path = '/') =>
  fetch(`${base}${path}`, { method: 'POST', body });

async function errorOf(response: Response): Promise<Record<string, unknown>> {
  expect(response.headers.get('content-type')).toBe('application/xml');
  return parse(await response.text());
}

const parse = (xml: string) => new XMLParser({ ignoreDeclaration: true }).parse(xml).Error;

describe('a file', () => {
  test('arrives as a stream with the fields of its form', async () => {
    const seen: Partial<UploadInput>[] = [];
    const base = await upload(async (input, call) => {
      const { file, ...rest } = input;
      seen.push(rest);
      expect((await buffer(file)).toString()).toBe('hello');
      return md5({ ...input, file }, call);
    });
    const typed = new Blob(['hello'], { type: 'Text/Plain; charset=utf-8' });
    await post(base, form({ ...FIELDS, 'X-Own': 'kept' }, typed));
    expect(seen).toMatchObject([
      {
        key: FIELDS.key,
        signature: 'sign',
        token: 'token',
        metaFileId: 'meta',
        filename: 'a.txt',
        contentType: 'text/plain; charset=utf-8',
      },
    ]);
    expect(seen[0]?.fields?.get('x-own')).toBe('kept');
  });

  test.each(['200', '201', '204', '303'])(
    'gets the status that it requests: %s',
    async (status) => {
      const key = '中 & <b>.txt';
      const response = await post(
        await upload(),
        form({ ...FIELDS, key, success_action_status: status }),
      );
      expect(response.status).toBe(status === '303' ? 204 : Number(status));
      expect(response.headers.get('etag')).toBe('"5d41402abc4b2a76b9719d911017c592"');
      expect(response.headers.get('location')).toMatch(/%E4%B8%AD%20&%20<b>\.txt$/);
      const text = await response.text();
      if (status !== '201') return expect(text).toBe('');
      expect(response.headers.get('content-type')).toBe('application/xml');
      expect(new XMLParser({ ignoreDeclaration: true }).parse(text)).toEqual({
        PostResponse: {
          Location: 'https://files.example/%E4%B8%AD%20&%20<b>.txt',
          Bucket: 'files',
          Key: key,
          ETag: '"5d41402abc4b2a76b9719d911017c592"',
        },
      });
    },
  );

  test('field names may be in any case, and in those of the wire profile', async () => {
    const fields = { KEY: 'a', signature: 's', 'X-Acme-Security-Token': 't' };
    const base = await upload(md5, { wireProfile: acme });
    const whole = form({ ...fields, 'x-acme-meta-fileid': 'm' });
    expect((await post(base, whole)).status).toBe(204);
    expect((await post(base, form(FIELDS))).status).toBe(403);
  });
});

test('an aborted form never ends the stream of its file', async () => {
  const { promise, resolve } = Promise.withResolvers<unknown>();
  const base = await upload(async ({ file }) => {
    const outcome = buffer(file).then(() => 'ended');
    resolve(await outcome.catch((error: Error) => error));
    throw new UploadError('AccessDenied');
  });
  const boundary = '--b\r\nContent-Disposition: form-data; name=';
  const fields = Object.entries({ ...FIELDS, key: 'a' }).map(
    ([name, value]) => `${boundary}"${name}"\r\n\r\n${value}\r\n`,
  );
  // The file is complete, but the closing boundary is missing.
  const body = `${fields.join('')}${boundary}"file"; filename="a"\r\n\r\nhello\r\n--b\r\n`;
  const socket = connect(Number(new URL(base).port), '127.0.0.1');
  socket.write(
    `POST / HTTP/1.1\r\nHost: a\r\nContent-Type: multipart/form-data; boundary=b\r\nContent-Length: 9999\r\n\r\n${body}`,
    () => socket.end(),
  );
  socket.resume();
  expect(await promise).toBeInstanceOf(Error);
});

const FORM_HEAD = '--x\r\nContent-Disposition: form-data; name=';
const field = ([name, value]: readonly [string, string]) =>
  `${FORM_HEAD}"${name}"\r\n\r\n${value}\r\n`;
const fieldsOf = (fields: object = FIELDS) => Object.entries(fields).map(field).join('');
const FILE = `${FORM_HEAD}"file"; filename="a.txt"\r\nContent-Type: text/plain\r\n\r\n`;

/** Sends a form in chunks of a size. */
async function sendForm(
  base: string,
  body: string,
  size = body.length,
  type = 'multipart/form-data; boundary=x',
) {
  async function* chunks() {
    const bytes = Buffer.from(body);
    for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
  }
  return send(base, '/', { method: 'POST', headers: { 'content-type': type }, body: chunks() });
}

const EMPTY = 'd41d8cd98f00b204e9800998ecf8427e';
const HELLO = '5d41402abc4b2a76b9719d911017c592';

test.each([
  ['as browsers write it', `${fieldsOf()}${FILE}hello\r\n--x--\r\n`, HELLO],
  [
    'without a file name (curl -F "file=<a")',
    `${fieldsOf()}${FORM_HEAD}"file"\r\n\r\nhello\r\n--x--`,
    HELLO,
  ],
  [
    'with white space after boundaries',
    `${fieldsOf()}${FILE}hello\r\n--x--\r\n`.replaceAll('--x\r', '--x \t\r'),
    HELLO,
  ],
  ['with an empty file', `${fieldsOf()}${FILE}\r\n--x--\r\n`, EMPTY],
  [
    'with a delimiter right after the headers of an empty file',
    `${fieldsOf()}${FILE}--x--\r\n`,
    EMPTY,
  ],
  [
    'with a delimiter right after the headers of an empty field',
    `${FORM_HEAD}"a"\r\n\r\n${fieldsOf()}${FILE}hello\r\n--x--`,
    HELLO,
  ],
  [
    'with a preamble and an epilogue',
    `hi\r\n${fieldsOf()}${FILE}hello\r\n--x--\r\nbye\r\n\r\n`,
    HELLO,
  ],
  [
    'with fields and files after the file',
    `${fieldsOf()}${FILE}hello\r\n${fieldsOf()}${FILE}more\r\n--x--`,
    HELLO,
  ],
  [
    'with another file before the file',
    `${FORM_HEAD}"a"; filename="b"\r\n\r\nskip\r\n${fieldsOf()}${FILE}hello\r\n--x--`,
    HELLO,
  ],
])('a form %s is read, however its bytes arrive', async (_, body, etag) => {
  const base = await upload();
  for (const size of [1, 7, body.length]) {
    const { status, headers, text } = await sendForm(base, body, size);
    expect([status, headers.etag, text]).toEqual([204, `"${etag}"`, '']);
  }
});

test.each(['\r\n', '\r\n\r\n', 'a\r', '\r\n--', '\r\n--y\r\n'])(
  'content that resembles a delimiter is kept: %j',
  async (content) => {
    const base = await upload();
    const etag = createHash('md5').update(content).digest('hex');
    const body = `${fieldsOf()}${FILE}${content}\r\n--x--\r\n`;
    for (const size of [1, body.length]) {
      expect((await sendForm(base, body, size)).headers.etag).toBe(`"${etag}"`);
    }
  },
);

const { key, ...WITHOUT_KEY } = FIELDS;

test.each([
  ['no boundary', 'multipart/form-data', 'x', /^The form cannot be read/],
  ['no end', undefined, field(['a', 'b']), /^The form cannot be read/],
  ['no end of its file', undefined, `${fieldsOf()}${FILE}b`, /^The form cannot be read/],
  [
    'no name of a field',
    undefined,
    '--x\r\nContent-Disposition: form-data\r\n\r\nb\r\n--x--',
    /^The form cannot be read/,
  ],
  ['nothing of a form', undefined, 'hello', /^The form cannot be read/],
  [
    'no file',
    undefined,
    `${fieldsOf()}--x--`,
    'The form has no file field: send it as the last field.',
  ],
  [
    'no key before the file',
    undefined,
    `${fieldsOf(WITHOUT_KEY)}${FILE}b\r\n${field(['key', key])}--x--`,
    'The form has no key field: send it before the file.',
  ],
  [
    'a field twice',
    undefined,
    `${fieldsOf()}${field(['KEY', 'b'])}${FILE}b\r\n--x--`,
    'The form contains the KEY field twice.',
  ],
  [
    'a long field',
    undefined,
    `${field(['key', 'x'.repeat(70_000)])}${FILE}b\r\n--x--`,
    'The form has more than 65536 bytes in field key.',
  ],
  [
    'many fields',
    undefined,
    `${Array.from({ length: 101 }, (_, at) => field([`f${at}`, ''])).join('')}${FILE}b\r\n--x--`,
    'The form has more than 100 fields.',
  ],
  [
    'long headers of a part',
    undefined,
    `--x\r\nA: ${'x'.repeat(20_000)}\r\n`,
    'The headers of a part are larger than 16384 bytes.',
  ],
])('a form with %s is rejected', async (_, type, body, message) => {
  const onError = vi.fn();
  const base = await upload(md5, { onError });
  const { status, text } = await sendForm(base, body, undefined, type);
  expect([status, parse(text)]).toMatchObject([400, { Code: 'MalformedPOSTRequest' }]);
  expect(parse(text).Message).toMatch(message);
  expect(onError).not.toHaveBeenCalled();
});

test('a file that is too large is rejected, and one that just fits is not', async () => {
  const base = await upload(md5, { fileBytes: 5 });
  expect((await post(base, form(FIELDS))).status).toBe(204);
  const response = await post(base, form(FIELDS, new Blob(['hello!'])));
  expect(response.status).toBe(400);
  expect(await errorOf(response)).toMatchObject({ Code: 'EntityTooLarge', Resource: `/${key}` });
});

test('backpressure of the handler reaches the client', async () => {
  const release = Promise.withResolvers<void>();
  const base = await upload(async ({ file }) => {
    await release.promise;
    let size = 0;
    for await (const chunk of file) size += chunk.length;
    return { etag: String(size), location: 'https://files.example/a' };
  });
  const socket = connect(Number(new URL(base).port), '127.0.0.1');
  await once(socket, 'connect');
  const head = `${fieldsOf({ ...FIELDS, key: 'a' })}${FILE}`;
  const size = 64 * 1024 * 1024;
  socket.write(
    `POST / HTTP/1.1\r\nHost: a\r\nContent-Type: multipart/form-data; boundary=x\r\n` +
      `Content-Length: ${head.length + size + 9}\r\n\r\n${head}`,
  );
  const chunk = Buffer.alloc(1024 * 1024);
  let sent = 0;
  // A server that buffered would accept all of it.
  while (socket.write(chunk)) sent += chunk.length;
  sent += chunk.length;
  const pump = () => {
    while (sent < size) {
      sent += chunk.length;
      if (!socket.write(chunk)) return;
    }
    socket.off('drain', pump);
    socket.write('\r\n--x--\r\n');
  };
  socket.on('drain', pump);
  await expect.poll(() => socket.writableNeedDrain).toBe(true);
  expect(sent).toBeLessThan(size);
  release.resolve();
  expect(await receive(socket, 'etag')).toContain(`"${size}"`);
  socket.destroy();
});
