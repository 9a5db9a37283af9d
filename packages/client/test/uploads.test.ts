import { createReadStream } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { Agent } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pathToFileURL } from 'node:url';
import type { Progress, StorageClient, UploadData } from '@berth/client';
import { createMock, type Mock } from '@berth/mock';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  credentials,
  envelope,
  failureOf,
  meta,
  storageAt,
  storageWith,
} from './support/clients.ts';
import { bodyOf, type Handler, serveStorage } from './support/servers.ts';

const MB = 1024 * 1024;
const xml = (code: string) =>
  `<?xml version="1.0"?><Error><Code>${code}</Code><Message>No.</Message><RequestId>x-1</RequestId></Error>`;
const endless = () =>
  new ReadableStream<Uint8Array>({ pull: (controller) => controller.enqueue(new Uint8Array(MB)) });
const refuse =
  (status: number, code: string, headers = {}): Handler =>
  async (request, response) => {
    await bodyOf(request);
    response.writeHead(status, { 'Content-Type': 'application/xml', ...headers }).end(xml(code));
  };
const reset: Handler = (request) => request.socket.resetAndDestroy();
const store: Handler = async (request, response) => {
  await bodyOf(request);
  response.writeHead(204).end();
};

describe('an upload', () => {
  let mock: Mock;
  let folder: string;
  let storage: StorageClient;
  beforeAll(async () => {
    mock = await createMock();
    folder = await mkdtemp(join(tmpdir(), 'berth-upload-'));
    storage = storageAt(mock.storageUrl);
  });
  afterAll(async () => {
    await mock.close();
    await rm(folder, { recursive: true });
  });
  const file = async (content: string) => {
    await writeFile(join(folder, 'a.txt'), content);
    return join(folder, 'a.txt');
  };
  const download = async (fileID: string) => (await storage.download(fileID)).text();
  async function* parts() {
    yield 'hé';
    yield new TextEncoder().encode('llo');
  }

  it.each<[string, () => UploadData | Promise<UploadData>]>([
    ['a string', () => 'héllo'],
    ['bytes', () => new TextEncoder().encode('héllo')],
    ['a part of a larger buffer', () => Buffer.from('>>héllo<<').subarray(2, -2)],
    ['an ArrayBuffer', () => new TextEncoder().encode('héllo').buffer],
    ['a view of other numbers', () => new DataView(new TextEncoder().encode('héllo').buffer)],
    ['a Blob', () => new Blob(['hé', 'llo'])],
    ['a File', () => new File(['héllo'], 'another-name.txt')],
    ['a web stream', () => new Blob(['héllo']).stream()],
    ['a Node stream', () => Readable.from([Buffer.from('hé'), Buffer.from('llo')])],
    ['an async iterable', () => parts()],
    ['a read stream', async () => createReadStream(await file('héllo'))],
    ['a file by its path', async () => ({ file: await file('héllo') })],
    ['a file by its URL', async () => ({ file: pathToFileURL(await file('héllo')) })],
  ])('CL-UPLOAD-FILE: stores the bytes of %s', async (_, create) => {
    const { fileID } = await storage.upload('kind.txt', await create());
    expect(await download(fileID)).toBe('héllo');
  });

  it('of an avatar has at most 200 KiB, and no more is read', async () => {
    await storage.uploadAvatar('a.png', new Uint8Array(204_800));
    let count = 0;
    async function* read() {
      for (; count < 50; count += 1) yield new Uint8Array(MB);
    }
    const message = expect.stringContaining('larger than 204800 bytes');
    for (const data of [new Uint8Array(204_801), read()]) {
      const error = await failureOf(storage.uploadAvatar('a.png', data));
      expect(error).toMatchObject({ kind: 'options', message });
    }
    expect(count).toBeLessThan(6);
  });
});

describe('the form of an upload', () => {
  it('CL-UPLOAD-FORM CL-UPLOAD-FILE-LAST CL-UPLOAD-CREDENTIALS: is what the contract says', async () => {
    let head: NodeJS.Dict<string | string[]> = {};
    let body = '';
    await using served = await serveStorage(
      async (request, response) => {
        head = request.headers;
        body = String(await bodyOf(request));
        response.writeHead(204).end();
      },
      { credentials },
    );
    const path = '报告/a "b"\\c.txt';
    const data = new Blob(['héllo'], { type: 'text/plain' });
    const seen: Progress[] = [];
    const onProgress = (progress: Progress) => seen.push(progress);
    const { fileID } = await served.storage.upload(path, data, { onProgress });
    expect(seen).toEqual([{ loaded: 6, total: 6 }]);
    expect(fileID).toBe(`cloud://dev.files/${path}`);
    const boundary = /boundary=(.*)$/.exec(String(head['content-type']))?.[1];
    const part = (name: string, rest = '\r\n') =>
      `--${boundary}\r\nContent-Disposition: form-data; name="${name}"${rest}\r\n`;
    expect(body).toBe(
      `${part('Signature')}authorization\r\n${part('x-store-security-token')}token\r\n` +
        `${part('x-store-meta-fileid')}store-1\r\n${part('key')}${path}\r\n` +
        part('file', '; filename="a %22b%22\\c.txt"\r\nContent-Type: text/plain\r\n') +
        `héllo\r\n--${boundary}--\r\n`,
    );
    expect(Object.keys(head).sort()).toEqual([
      'connection',
      'content-length',
      'content-type',
      'host',
    ]);
    expect(head['content-length']).toBe(String(Buffer.byteLength(body)));
  });

  it.each([
    ['', '/'],
    ['?a=1', '/?a=1'],
    ['/a/../b/%2e%2e/c?x=a%2Fb&y=\'"|{}', '/a/../b/%2e%2e/c?x=a%2Fb&y=\'"|{}'],
    ['/a#b', '/a'],
    ['/a b?c=中', '/a%20b?c=%E4%B8%AD'],
  ])('CL-UPLOAD-URL: is sent to exactly the returned URL %j', async (target, sent) => {
    const urls: (string | undefined)[] = [];
    const handle: Handler = (request, response) => {
      urls.push(request.url);
      return store(request, response);
    };
    await using served = await serveStorage(handle, { target });
    await served.storage.upload('a.txt', 'hello');
    expect(urls).toEqual([sent]);
  });

  const fields = ['url', 'token', 'authorization', 'fileID', 'storeFileID'];
  it.each<[string, Response]>([
    ...fields.map((name): [string, Response] => [
      `no valid ${name}`,
      envelope({ data: { ...meta, [name]: 1 } }),
    ]),
    ['no valid url', envelope({ data: { ...meta, url: 'ftp://h/' } })],
    ['SIGN_PARAM_INVALID', envelope({ code: 'SIGN_PARAM_INVALID', message: 'No.' }, 403)],
  ])('CL-UPLOAD-GRANT: is not sent if the response has %s', async (reason, response) => {
    const { storage, requests } = storageWith([response]);
    const message = expect.stringContaining(reason);
    expect(await failureOf(storage.upload('a', 'b'))).toMatchObject({ kind: 'storage', message });
    expect(requests).toHaveLength(1);
  });
});

describe('an attempt that failed', () => {
  const faults: [string, Handler, string][] = [
    ['the target asks to slow down', refuse(503, 'SlowDown'), 'upload'],
    ['the target has an error', refuse(500, 'InternalError'), 'upload'],
    ['only the code of the target says so', refuse(200, 'SlowDown'), 'upload'],
    ['the connection breaks', reset, 'network'],
  ];

  it.each(faults)(
    'is repeated with a new grant, but not for a stream: %s',
    async (_, fault, kind) => {
      const acts = [fault, fault, fault, store];
      await using served = await serveStorage((...call) => acts.shift()?.(...call));
      const { upload } = served.storage;
      const stream = new Blob(['hello']).stream();
      expect(await failureOf(upload('a.txt', stream))).toMatchObject({ kind });
      expect([served.grants(), acts.length]).toEqual([1, 3]);
      await upload('a.txt', new Blob(['hello']));
      expect([served.grants(), acts.length]).toEqual([4, 0]);
    },
  );
});

describe('the response of the upload target', () => {
  async function upload(text: string, status = 200) {
    await using served = await serveStorage(async (request, response) => {
      await bodyOf(request);
      response.writeHead(status).end(status === 204 ? undefined : text);
    });
    return await served.storage.upload('a.txt', 'hello', { retry: false });
  }

  it.each([200, 307, 400, 403])('CL-UPLOAD-ERROR: is an error with status %d', async (status) => {
    await using served = await serveStorage(refuse(status, 'AccessDenied'));
    expect(await failureOf(served.storage.upload('a.txt', 'hello'))).toMatchObject({
      kind: 'upload',
      code: 'AccessDenied',
      status,
      requestId: 'x-1',
      retryable: false,
      message: `a.txt was not uploaded: AccessDenied, No. (POST /target, status ${status}, request ID x-1)`,
    });
    expect(served.grants()).toBe(1);
  });

  it.each([302, 502])('is an error without an Error element, too: %d', async (status) => {
    const error = { kind: 'upload', code: undefined, status };
    expect(await failureOf(upload('<html>', status))).toMatchObject(error);
  });

  it.each([
    '',
    '<PostResponse><Key>&lt;Error&gt;</Key></PostResponse>',
    '<A><!-- <Error> --></A>',
    '<A><![CDATA[<Error></Error>]]></A>',
  ])('is a success: %s', async (text) => {
    expect(await upload(text)).toEqual({ fileID: 'cloud://dev.files/a.txt' });
  });

  it.each<[string, string | undefined, string?]>([
    ['<Error/>', undefined],
    ['<s3:Error xmlns:s3="urn:x"><s3:Code lang="en">\n A </s3:Code></s3:Error>', 'A'],
    ['<Error><Code>SlowDown</Code><Mess', 'SlowDown'],
    ['<Error><Code>A</Code><Message><![CDATA[a <b>]]>!</Message></Error>', 'A', 'd: A (POST'],
  ])('is an error: %s', async (text, code, part = '') => {
    const message = expect.stringContaining(part);
    expect(await failureOf(upload(text))).toMatchObject({ kind: 'upload', code, message });
  });

  // The client keeps 64 KiB of a response, of which quadratic time would take minutes.
  it('is read in linear time, even if it is hostile', async () => {
    for (const text of ['<Error ', '<!--', '<']) await upload(text.repeat(1_000_000));
    await failureOf(upload(`<Error>${'<Code>'.repeat(1_000_000)}`));
  });

  it.each<[string, number, object]>([
    ['is read', 403, { kind: 'upload', code: 'AccessDenied' }],
    ['is no success', 200, { kind: 'network' }],
  ])('%s if it arrives before the end of the file', async (_, status, expected) => {
    await using served = await serveStorage((request, response) => {
      request.resume();
      response.writeHead(status).end(status === 403 ? xml('AccessDenied') : '');
    });
    const error = await failureOf(served.storage.upload('a.bin', endless()));
    expect(error).toMatchObject(expected);
  });
});

describe('a stream', () => {
  it.each([
    ['smaller', 6],
    ['larger', 4],
  ])('that is %s than its size ends the upload', async (word, size) => {
    await using served = await serveStorage(store);
    const data = new Blob(['hello']).stream();
    const message = expect.stringContaining(`${word} than its size (${size} bytes)`);
    expect(await failureOf(served.storage.upload('a.txt', data, { size }))).toMatchObject({
      kind: 'options',
      message,
    });
  });

  it('that fails ends the upload with its error', async () => {
    await using served = await serveStorage(store);
    const disk = new Error('disk');
    const broken = new ReadableStream({ start: (controller) => controller.error(disk) });
    expect(await failureOf(served.storage.upload('a.txt', broken))).toBe(disk);
    const onProgress = () => {
      throw disk;
    };
    const upload = served.storage.upload('a.txt', 'hello', { onProgress });
    expect(await failureOf(upload)).toBe(disk);
    const missing = '/does/not/exist';
    for (const [data, expected] of [
      [createReadStream(missing), { code: 'ENOENT' }],
      [{ file: missing }, { code: 'ENOENT' }],
      [Readable.from([1]), { kind: 'options' }],
    ] as const) {
      expect(await failureOf(served.storage.upload('a.txt', data))).toMatchObject(expected);
    }
  });

  it('is closed if the upload fails before it is read', async () => {
    const file = createReadStream(import.meta.filename);
    const { storage } = storageWith([envelope({ code: 'SIGN_PARAM_INVALID' }, 403)]);
    expect(await failureOf(storage.upload('a.txt', file))).toMatchObject({ kind: 'storage' });
    expect(file.destroyed).toBe(true);
  });
});

describe('an upload ends if', () => {
  it('it makes no progress, or takes too long in all', async () => {
    await using served = await serveStorage((request) => void request.resume());
    const idle = served.storage.upload('a', 'hello', { idle: 100, retry: false });
    const error = await failureOf(idle);
    expect(error).toMatchObject({ kind: 'timeout', path: '/target' });
    expect(String(error)).toContain('a was not uploaded: no progress for 100 ms');
    const long = served.storage.upload('a', endless(), { timeout: 100 });
    expect(await failureOf(long)).toMatchObject({ kind: 'timeout' });
  });

  const CONTINUE = 'HTTP/1.1 100 Continue\r\n\r\n';
  it.each<[string, string, (write: (text: string) => void) => void, Handler?]>([
    [
      'changes the protocol',
      'network',
      (write) => write('HTTP/1.1 101 No\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n'),
    ],
    [
      'sends a response without an end',
      'timeout',
      (write) => {
        write('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n');
        setInterval(() => write('1\r\nx\r\n'), 20);
      },
    ],
    ['sends nothing but 100', 'timeout', (write) => setInterval(() => write(CONTINUE), 20)],
    [
      'sends nothing but 100, and reads nothing',
      'timeout',
      (write) => setInterval(() => write(CONTINUE), 20),
      (request) => request.pause(),
    ],
  ])('the target %s', async (_, kind, respond, read = bodyOf) => {
    await using served = await serveStorage(async (request, response) => {
      await read(request, response);
      respond((text) => request.socket.writable && request.socket.write(text));
    });
    const data = read === bodyOf ? 'hello' : endless();
    const upload = served.storage.upload('a', data, { idle: 200, retry: false });
    expect(await failureOf(upload)).toMatchObject({ kind });
  });

  it('it gets no connection, and reports no progress', async () => {
    const agent = Object.assign(new Agent(), { createConnection: () => undefined });
    await using served = await serveStorage(store, { agent });
    const seen: Progress[] = [];
    const onProgress = (progress: Progress) => seen.push(progress);
    for (const data of ['hello', new Blob(['hello']).stream()]) {
      const upload = served.storage.upload('a', data, { idle: 50, retry: false, onProgress });
      expect(await failureOf(upload)).toMatchObject({ kind: 'timeout' });
    }
    expect(seen).toEqual([]);
  });
});
