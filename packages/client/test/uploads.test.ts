import { createReadStream } from 'node:fs';
import { Agent } from 'node:http';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pathToFileURL } from 'node:url';
import { BerthError, type Progress, type UploadData } from '@berth/client';
import { describe, expect, it } from 'vitest';
import { storageWith } from './support/clients.ts';
import { newFolder } from './support/folders.ts';
import { endless, envelope, meta } from './support/responses.ts';
import { bodyOf, type Handler, keepSending, reset, serveStorage } from './support/servers.ts';

const MISSING = '/does/not/exist';
const streamOf = (text: string) => new Blob([text]).stream();

const xml = (code: string) =>
  `<?xml version="1.0"?><Error><Code>${code}</Code><Message>No.</Message><RequestId>x-1</RequestId></Error>`;

/** Reads the form, then responds. */
const respond =
  (status: number, text = ''): Handler =>
  async (request, response) => {
    await bodyOf(request);
    response.writeHead(status).end(text || undefined);
  };
const store = respond(204);
const refuse = (status: number, code: string) => respond(status, xml(code));

describe('an upload', () => {
  let body = '';
  const keep: Handler = async (request, response) => {
    body = String(await bodyOf(request));
    response.end();
  };
  const foreignBlob = Object.create(null, Object.getOwnPropertyDescriptors(Blob.prototype));
  async function* parts() {
    yield 'hé';
    yield new TextEncoder().encode('llo');
  }

  it.each<[string, (file: string) => UploadData]>([
    ['a string', () => 'héllo'],
    ['a part of a larger buffer', () => Buffer.from('>>héllo<<').subarray(2, -2)],
    ['an ArrayBuffer', () => new TextEncoder().encode('héllo').buffer],
    ['a view of other numbers', () => new DataView(new TextEncoder().encode('héllo').buffer)],
    ['a Blob of another realm', () => Object.setPrototypeOf(new Blob(['héllo']), foreignBlob)],
    ['a File', () => new File(['héllo'], 'another-name.txt')],
    ['a Node stream', () => Readable.from([Buffer.from('hé'), Buffer.from('llo')])],
    ['an async iterable', () => parts()],
    ['an async iterable with a `file`', () => Object.assign(parts(), { file: MISSING })],
    ['a read stream', (file) => createReadStream(file)],
    ['a file by its URL', (file) => ({ file: pathToFileURL(file) })],
  ])('CL-UPLOAD-FILE: sends the bytes of %s', async (_, create) => {
    await using served = await serveStorage(keep);
    const folder = await newFolder({ 'a.txt': 'héllo' });
    await served.storage.upload('kind.txt', create(join(folder, 'a.txt')));
    expect(body).toContain('\r\n\r\nhéllo\r\n--');
  });

  it('of an avatar has at most 200 KiB, and no more is read', async () => {
    await using served = await serveStorage(store);
    await served.storage.uploadAvatar('a.png', new Uint8Array(204_800));
    const { body, count } = endless();
    const message = expect.stringContaining('larger than 204800 bytes');
    for (const data of [new Uint8Array(204_801), body]) {
      const upload = served.storage.uploadAvatar('a.png', data);
      await expect(upload).rejects.toMatchObject({ kind: 'options', message });
    }
    expect(count()).toBeLessThan(6);
  });

  it('CL-UPLOAD-FORM CL-UPLOAD-FILE-LAST CL-UPLOAD-CREDENTIALS: is the form of the contract', async () => {
    await using served = await serveStorage(keep);
    const path = '报告/a "b"\\c.txt';
    const data = new Blob(['héllo'], { type: 'text/plain' });
    const seen: Progress[] = [];
    const onProgress = (progress: Progress) => seen.push(progress);
    const { fileID } = await served.storage.upload(path, data, { onProgress });
    expect(seen).toEqual([{ loaded: 6, total: 6 }]);
    expect(fileID).toBe(`cloud://dev.files/${path}`);
    const { headers = {} } = served.calls.at(-1) ?? {};
    const boundary = /boundary=(.*)$/.exec(String(headers['content-type']))?.[1];
    const part = (name: string, rest = '\r\n') =>
      `--${boundary}\r\nContent-Disposition: form-data; name="${name}"${rest}\r\n`;
    expect(body).toBe(
      `${part('Signature')}authorization\r\n${part('x-store-security-token')}token\r\n` +
        `${part('x-store-meta-fileid')}store-1\r\n${part('key')}${path}\r\n` +
        part('file', '; filename="a %22b%22\\c.txt"\r\nContent-Type: text/plain\r\n') +
        `héllo\r\n--${boundary}--\r\n`,
    );
    const names = Object.keys(headers).sort();
    expect(names).toEqual(['connection', 'content-length', 'content-type', 'host']);
    expect(headers['content-length']).toBe(String(Buffer.byteLength(body)));
  });

  it.each([
    ['', '/'],
    ['?a=1', '/?a=1'],
    ['/a/../b/%2e%2e/c?x=a%2Fb&y=\'"|{}', '/a/../b/%2e%2e/c?x=a%2Fb&y=\'"|{}'],
    ['/a#b', '/a'],
    ['/a b?c=中', '/a%20b?c=%E4%B8%AD'],
  ])('CL-UPLOAD-URL: is sent to exactly the returned URL %j', async (target, sent) => {
    await using served = await serveStorage(store, { target });
    await served.storage.upload('a.txt', 'hello');
    expect(served.calls.at(-1)?.url).toBe(sent);
  });

  const fields = ['url', 'token', 'authorization', 'fileID', 'storeFileID'];
  it.each<readonly [string, object]>([
    ...fields.map((name) => [`no valid ${name}`, { data: { ...meta, [name]: 1 } }] as const),
    ['no valid url', { data: { ...meta, url: 'ftp://h/' } }],
    ['SIGN_PARAM_INVALID', { code: 'SIGN_PARAM_INVALID', message: 'No.' }],
  ])('CL-UPLOAD-GRANT: is not sent if the response has %s', async (reason, body) => {
    const { storage, requests } = storageWith([envelope(body)]);
    const error = { kind: 'storage', message: expect.stringContaining(reason) };
    await expect(storage.upload('a', 'b')).rejects.toMatchObject(error);
    expect(requests).toHaveLength(1);
  });

  it.each<[string, Handler, string]>([
    ['the target asks to slow down', refuse(503, 'SlowDown'), 'upload'],
    ['the target has an error', refuse(500, 'InternalError'), 'upload'],
    ['only the code of the target says so', refuse(200, 'SlowDown'), 'upload'],
    ['the connection breaks', reset, 'network'],
  ])('is repeated with a new grant, but not for a stream: %s', async (_, fault, kind) => {
    const handlers = [fault, fault, fault, store];
    await using served = await serveStorage((...call) => handlers.shift()?.(...call));
    const { upload } = served.storage;
    await expect(upload('a.txt', streamOf('hello'))).rejects.toMatchObject({ kind });
    expect([served.grants(), handlers.length]).toEqual([1, 3]);
    await upload('a.txt', new Blob(['hello']));
    expect([served.grants(), handlers.length]).toEqual([4, 0]);
  });
});

describe('the response of the upload target', () => {
  async function upload(text: string, status = 200) {
    await using served = await serveStorage(respond(status, text));
    return await served.storage.upload('a.txt', 'hello', { retry: false });
  }

  const denied = 'a.txt was not uploaded: AccessDenied, No. (POST /target, status';
  it.each<[string, string | undefined, string?, number?]>([
    [xml('AccessDenied'), 'AccessDenied', `${denied} 200, request ID x-1)`, 200],
    [xml('AccessDenied'), 'AccessDenied', `${denied} 307, request ID x-1)`, 307],
    [xml('AccessDenied'), 'AccessDenied', `${denied} 400, request ID x-1)`, 400],
    [xml('AccessDenied'), 'AccessDenied', `${denied} 403, request ID x-1)`, 403],
    ['<html>', undefined, '', 302],
    ['<html>', undefined, '', 502],
    ['<Error/>', undefined],
    ['<s3:Error xmlns:s3="urn:x"><s3:Code lang="en">\n A </s3:Code></s3:Error>', 'A'],
    ['<Error><Code>SlowDown</Code><Mess', 'SlowDown'],
    ['<Error><Code>A</Code><Message><![CDATA[a <b>]]>!</Message></Error>', 'A', 'd: A (POST'],
  ])('CL-UPLOAD-ERROR: is an error: %s', async (text, code, part = '', status = 200) => {
    const message = expect.stringContaining(part);
    const retryable = status === 502 || code === 'SlowDown';
    const error = { kind: 'upload', code, status, retryable, message };
    await expect(upload(text, status)).rejects.toMatchObject(error);
  });

  it.each([
    '',
    '<PostResponse><Key>&lt;Error&gt;</Key></PostResponse>',
    '<A><!-- <Error> --></A>',
    '<A><![CDATA[<Error></Error>]]></A>',
  ])('is a success: %s', async (text) => {
    expect(await upload(text)).toEqual({ fileID: 'cloud://dev.files/a.txt' });
  });

  // The client keeps 64 KiB of a response, of which quadratic time would take minutes.
  it('is read in linear time, even if it is hostile', async () => {
    for (const text of ['<Error ', '<!--', '<']) await upload(text.repeat(1_000_000));
    const codes = upload(`<Error>${'<Code>'.repeat(1_000_000)}`);
    await expect(codes).rejects.toMatchObject({ kind: 'upload' });
  });

  it.each<[string, number, string, object]>([
    ['is read', 403, xml('AccessDenied'), { kind: 'upload', code: 'AccessDenied' }],
    ['is read', 200, xml('SlowDown'), { kind: 'upload', code: 'SlowDown', status: 200 }],
    ['is no success', 200, '', { kind: 'network' }],
  ])('%s if it arrives before the end of the file: %d %s', async (_, status, text, expected) => {
    await using served = await serveStorage((request, response) => {
      request.resume();
      response.writeHead(status).end(text);
    });
    await expect(served.storage.upload('a.bin', endless().body)).rejects.toMatchObject(expected);
  });
});

describe('an upload ends', () => {
  const disk = new Error('disk');
  const fail = (error: Error) => () => {
    throw error;
  };
  const temporary = new BerthError('network', 'from onProgress', { retryable: true });
  const broken = new ReadableStream({ start: (controller) => controller.error(disk) });
  const smaller = 'The content is smaller than its size (6 bytes).';
  const late = { kind: 'timeout', message: 'a was not uploaded: timed out after 100 ms' };
  const larger = 'The content is larger than its size (4 bytes).';
  it.each<[string, () => UploadData, object, object]>([
    ['a stream is too short', () => streamOf('hello'), { size: 6 }, { message: smaller }],
    ['a stream is too long', () => streamOf('hello'), { size: 4 }, { message: larger }],
    ['a stream fails', () => broken, {}, disk],
    ['onProgress throws', () => 'hello', { onProgress: fail(disk) }, disk],
    ['onProgress throws a BerthError', () => 'hello', { onProgress: fail(temporary) }, temporary],
    ['a read stream has no file', () => createReadStream(MISSING), {}, { code: 'ENOENT' }],
    ['there is no file', () => ({ file: MISSING }), {}, { code: 'ENOENT' }],
    ['a stream yields a number', () => Readable.from([1]), {}, { kind: 'options' }],
    ['it takes too long in all', () => endless().body, { timeout: 100 }, late],
  ])('if %s', async (_, create, options, expected) => {
    await using served = await serveStorage(store);
    await expect(served.storage.upload('a', create(), options)).rejects.toMatchObject(expected);
    expect(served.grants()).toBeLessThan(2);
  });

  it('and closes its stream if it fails before it is read', async () => {
    const { storage } = storageWith([envelope({ code: 'SIGN_PARAM_INVALID' }, 403)]);
    for (const options of [{}, { signal: AbortSignal.abort() }, { size: -1 }]) {
      const file = createReadStream(import.meta.filename);
      await expect(storage.upload('a.txt', file, options)).rejects.toThrow();
      expect(file.destroyed).toBe(true);
    }
  });

  const NO_PROGRESS = 'a was not uploaded: no progress for 200 ms (POST /target)';
  const CONTINUE = 'HTTP/1.1 100 Continue\r\n\r\n';
  const UPGRADE = 'HTTP/1.1 101 No\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n';
  const CHUNKED = 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n';
  /** Reads the form, responds with a text, and sends another one again and again. */
  const sendTwo =
    (text: string, endlessText = ''): Handler =>
    async (request, response) => {
      await bodyOf(request);
      request.socket.write(text);
      if (endlessText) keepSending(endlessText)(request, response);
    };
  it.each<[string, string, Handler, UploadData]>([
    ['does not respond', NO_PROGRESS, (request) => void request.resume(), 'hello'],
    ['changes the protocol', 'The server changed the protocol.', sendTwo(UPGRADE), 'hello'],
    ['never ends its response', NO_PROGRESS, sendTwo(CHUNKED, '1\r\nx\r\n'), 'hello'],
    ['sends only 100s', NO_PROGRESS, sendTwo(CONTINUE, CONTINUE), 'hello'],
    ['sends only 100s, and reads nothing', NO_PROGRESS, keepSending(CONTINUE), endless().body],
  ])('if the target %s', async (_, message, handle, data) => {
    await using served = await serveStorage(handle);
    const upload = served.storage.upload('a', data, { idle: 200, retry: false });
    await expect(upload).rejects.toThrow(message);
  });

  it('if it gets no connection, and reports no progress', async () => {
    const agent = Object.assign(new Agent(), { createConnection: () => undefined });
    await using served = await serveStorage(store, { agent });
    const seen: Progress[] = [];
    const onProgress = (progress: Progress) => seen.push(progress);
    for (const data of ['hello', streamOf('hello')]) {
      const upload = served.storage.upload('a', data, { idle: 50, retry: false, onProgress });
      await expect(upload).rejects.toMatchObject({ kind: 'timeout' });
    }
    expect(seen).toEqual([]);
  });
});
