import { createReadStream } from 'node:fs';
import { Agent } from 'node:http';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { envelope, failureOf } from './support/fake-fetch.ts';
import { bodyOf, type Handler, serveStorage } from './support/loopback.ts';
import { meta, storageWith } from './support/storage.ts';

const xml = (code: string) =>
  `<?xml version="1.0"?><Error><Code>${code}</Code><Message>No.</Message><RequestId>x-1</RequestId></Error>`;
const MB = 1024 * 1024;
const endless = () =>
  new ReadableStream<Uint8Array>({ pull: (controller) => controller.enqueue(new Uint8Array(MB)) });

/** Fails the first requests in turn, and stores later ones. */
function inTurn(...faults: Handler[]) {
  const bodies: string[] = [];
  const handle: Handler = async (request, response) => {
    const fault = faults.shift();
    if (fault) return fault(request, response);
    bodies.push(String(await bodyOf(request)));
    response.writeHead(204).end();
  };
  return { handle, bodies };
}
const refuse =
  (status: number, code: string): Handler =>
  async (request, response) => {
    await bodyOf(request);
    response.writeHead(status, { 'Content-Type': 'application/xml' }).end(xml(code));
  };
const reset: Handler = (request) => request.socket.resetAndDestroy();
const granted = () => envelope({ data: meta });
const responding = (status: number, text: string | null = null, headers: HeadersInit = {}) =>
  new Response(text, { status, headers });

describe('the form of an upload', () => {
  it('is what the contract requires, with the file last and an exact length', async () => {
    let head: NodeJS.Dict<string | string[]> = {};
    let body = '';
    await using served = await serveStorage(async (request, response) => {
      head = request.headers;
      body = String(await bodyOf(request));
      response.writeHead(204).end();
    });
    const path = '报告/a "b"\\c.txt';
    await served.storage.upload(path, 'héllo', { contentType: 'text/plain' });
    const boundary = /boundary=(.*)$/.exec(String(head['content-type']))?.[1];
    const part = (name: string, rest = '\r\n') =>
      `--${boundary}\r\nContent-Disposition: form-data; name="${name}"${rest}\r\n`;
    expect(body).toBe(
      `${part('Signature')}authorization\r\n${part('x-store-security-token')}token\r\n` +
        `${part('x-store-meta-fileid')}store-1\r\n${part('key')}${path}\r\n` +
        part('file', '; filename="a %22b%22\\c.txt"\r\nContent-Type: text/plain\r\n') +
        `héllo\r\n--${boundary}--\r\n`,
    );
    expect(head['content-length']).toBe(String(Buffer.byteLength(body)));
    expect(head).not.toHaveProperty('x-svc-authorization');
  });

  it.each([
    ['', '/'],
    ['?a=1', '/?a=1'],
    ['/a/../b/%2e%2e/c?x=a%2Fb&y=\'"|{}', '/a/../b/%2e%2e/c?x=a%2Fb&y=\'"|{}'],
    ['/a#b', '/a'],
    ['/a b?c=中', '/a%20b?c=%E4%B8%AD'],
  ])('is sent to exactly the returned URL: %j', async (target, sent) => {
    const urls: (string | undefined)[] = [];
    await using served = await serveStorage(
      async (request, response) => {
        urls.push(request.url);
        await bodyOf(request);
        response.writeHead(204).end();
      },
      { target },
    );
    await served.storage.upload('a.txt', 'hello');
    expect(urls).toEqual([sent]);
  });
});

describe('an upload', () => {
  it.each<[string, Handler]>([
    ['is asked to slow down', refuse(503, 'SlowDown')],
    ['meets an error of the target', refuse(500, 'InternalError')],
    ['loses its connection', reset],
  ])('is sent again with a new grant if it %s', async (_, fault) => {
    const { handle, bodies } = inTurn(fault, fault);
    await using served = await serveStorage(handle);
    await served.storage.upload('a.txt', new Blob(['hello']));
    expect(served.grants()).toBe(3);
    expect(bodies).toEqual([expect.stringContaining('hello')]);
  });

  it.each<[string, Handler, string]>([
    ['a refusal that may pass', refuse(503, 'SlowDown'), 'UploadError'],
    ['a lost connection', reset, 'NetworkError'],
  ])('of a stream is never sent again: %s', async (_, fault, name) => {
    const { handle, bodies } = inTurn(fault);
    await using served = await serveStorage(handle);
    const error = await failureOf(served.storage.upload('a.txt', new Blob(['hello']).stream()));
    expect(error).toMatchObject({ name });
    expect([served.grants(), bodies]).toEqual([1, []]);
  });

  it.each([200, 307, 403])('is refused by an Error element with status %d', async (status) => {
    await using served = await serveStorage(refuse(status, 'AccessDenied'));
    expect(await failureOf(served.storage.upload('a.txt', 'hello'))).toMatchObject({
      name: 'UploadError',
      code: 'AccessDenied',
      status,
      requestId: 'x-1',
      message: `a.txt was not uploaded: AccessDenied, No. (POST /target, status ${status}, request id x-1)`,
    });
    expect(served.grants()).toBe(1);
  });

  it('reads a refusal that arrives before the end of the file', async () => {
    await using served = await serveStorage((request, response) => {
      request.resume();
      response.writeHead(403).end(xml('AccessDenied'));
    });
    const error = await failureOf(served.storage.upload('a.bin', endless()));
    expect(error).toMatchObject({ name: 'UploadError', code: 'AccessDenied' });
  });

  it('rejects a success that arrives before the end of the file', async () => {
    await using served = await serveStorage((request, response) => {
      request.resume();
      response.writeHead(204).end();
    });
    const error = await failureOf(served.storage.upload('a.bin', endless()));
    expect(error).toMatchObject({ name: 'NetworkError' });
    expect(String(error)).toContain('responded before the entire file was sent');
  });

  it.each([
    ['smaller', 6],
    ['larger', 4],
  ])('fails if a stream is %s than its size', async (word, size) => {
    await using served = await serveStorage((request) => bodyOf(request));
    const data = new Blob(['hello']).stream();
    const error = await failureOf(served.storage.upload('a.txt', data, { size }));
    expect(error).toBeInstanceOf(RangeError);
    expect(String(error)).toContain(`${word} than the given size (${size} bytes)`);
  });

  it('ends with the error of its stream', async () => {
    await using served = await serveStorage((request) => bodyOf(request));
    const broken = new ReadableStream({
      start: (controller) => controller.error(new Error('disk')),
    });
    await expect(served.storage.upload('a.txt', broken)).rejects.toThrow('disk');
    const file = createReadStream('/does/not/exist');
    await expect(served.storage.upload('a.txt', file)).rejects.toMatchObject({ code: 'ENOENT' });
    const odd = (async function* () {
      yield 1;
    })();
    await expect(served.storage.upload('a.txt', odd as never)).rejects.toThrow(TypeError);
  });

  it.each(['url', 'token', 'fileID', 'storeFileID'])('needs a grant with %s', async (field) => {
    const { storage, requests } = storageWith([envelope({ data: { ...meta, [field]: 1 } })]);
    const error = await failureOf(storage.upload('a.txt', 'hello'));
    expect(error).toMatchObject({ name: 'StorageError' });
    expect(String(error)).toContain(`the response has no valid ${field}`);
    expect(requests).toHaveLength(1);
  });
});

describe('the response of the upload target', () => {
  const upload = (text: string, status = 200) =>
    storageWith([granted(), responding(status, text)], { retry: false }).storage.upload('a', 'b');

  it.each([
    '',
    'Error',
    '{"Error":{"Code":"x"}}',
    '<PostResponse><Key>&lt;Error&gt;</Key></PostResponse>',
    '<Errors><ErrorCode>x</ErrorCode></Errors>',
    '<A><!-- <Error> --></A>',
    '<A><![CDATA[<Error></Error>]]></A>',
    '<A><!-- <Error>',
  ])('is a success: %s', async (text) => {
    expect(await upload(text)).toEqual({ fileID: meta.fileID });
  });

  it.each<[string, string | undefined, string?]>([
    ['<Error/>', undefined],
    ['<Answer><Error a="1" ></Error><Code>1</Code></Answer>', undefined],
    ['<s3:Error xmlns:s3="urn:x"><s3:Code lang="en">A</s3:Code></s3:Error>', 'A'],
    ['<Error><Code>SlowDown</Code><Mess', 'SlowDown'],
    [
      '<Error><Message>&lt;a&gt; &amp;lt; &#20320;&#x597d; &#x110000; &constructor;</Message></Error>',
      undefined,
      '<a> &lt; 你好 &#x110000; &constructor;',
    ],
    ['<Error><Message><![CDATA[a <b> & &lt;]]></Message></Error>', undefined, 'a <b> & &lt;'],
  ])('is an error: %s', async (text, code, message = '') => {
    const error = await failureOf(upload(text));
    expect(error).toMatchObject({ name: 'UploadError', code });
    expect(String(error)).toContain(message);
  });

  it.each([302, 502])('is an error without an Error element: %d', async (status) => {
    const error = { name: 'UploadError', code: undefined, status };
    expect(await failureOf(upload('<html>', status))).toMatchObject(error);
  });

  // Quadratic time would exceed the limit of a test by far.
  it('is read in linear time, even if it is hostile', async () => {
    for (const text of ['<Error ', '<!--']) await upload(text.repeat(1_000_000));
    await failureOf(upload(`<Error>${'<Code>'.repeat(1_000_000)}`));
  });
});

describe('a wait between two upload attempts', () => {
  beforeEach(() => {
    vi.useFakeTimers();
    vi.spyOn(Math, 'random').mockReturnValue(0.5);
  });
  afterEach(() => {
    vi.useRealTimers();
    vi.restoreAllMocks();
  });

  async function waits(responses: (Response | Error)[], options: object = {}) {
    const { storage } = storageWith(responses, options);
    const start = Date.now();
    const upload = storage.upload('a.txt', 'hello').catch((error: Error) => error);
    await vi.runAllTimersAsync();
    return { result: await upload, waited: Date.now() - start };
  }
  const slowDown = (headers?: HeadersInit) => responding(503, xml('SlowDown'), headers);
  const result = { fileID: meta.fileID };

  it('doubles, whatever has failed', async () => {
    const failures = [granted(), slowDown(), granted(), new Error('lost'), granted(), slowDown()];
    const responses = [...failures, granted(), responding(204)];
    const waited = 125 + 250 + 500;
    expect(await waits(responses, { retry: { attempts: 4 } })).toEqual({ waited, result });
  });

  it.each<[string, object, string]>([
    ['it would be too long', {}, '31'],
    ['no time is left for it', { timeouts: { total: 7000 } }, '7'],
  ])('does not happen if %s', async (_, options, seconds) => {
    const refused = await waits([granted(), slowDown({ 'Retry-After': seconds })], options);
    expect(refused).toMatchObject({ waited: 0, result: { name: 'UploadError', code: 'SlowDown' } });
  });
});

describe('an abort', () => {
  it('ends the upload, its connection and its stream', async () => {
    const broken = Promise.withResolvers<void>();
    await using served = await serveStorage((request) => {
      request.resume();
      request.on('close', () => broken.resolve());
    });
    const cancelled = Promise.withResolvers<void>();
    const controller = new AbortController();
    const data = new ReadableStream<Uint8Array>({
      pull: (own) => own.enqueue(new Uint8Array(MB)),
      cancel: () => cancelled.resolve(),
    });
    const upload = served.storage.upload('a.bin', data, {
      signal: controller.signal,
      onProgress: ({ loaded }) => loaded > 8 * MB && controller.abort(new Error('enough')),
    });
    await expect(upload).rejects.toThrow('enough');
    await Promise.all([broken.promise, cancelled.promise]);
  });

  it('ends it if the stream stalls, or the target never responds', async () => {
    await using served = await serveStorage((request) => void request.resume());
    for (const data of [new ReadableStream<Uint8Array>(), 'hello']) {
      const controller = new AbortController();
      const upload = failureOf(served.storage.upload('a.bin', data, { signal: controller.signal }));
      served.server.once('request', () =>
        setImmediate(() => controller.abort(new Error('enough'))),
      );
      expect(String(await upload)).toBe('Error: enough');
    }
  });
});

describe('a time limit', () => {
  it('ends an upload that makes no progress, or takes too long in all', async () => {
    await using served = await serveStorage((request) => void request.resume());
    const idle = { timeouts: { perTry: 100 }, retry: false } as const;
    const error = { name: 'TimeoutError', timeout: 100 };
    expect(await failureOf(served.storage.upload('a', 'hello', idle))).toMatchObject(error);
    const long = served.storage.upload('a', endless(), { timeouts: { total: 100 } });
    expect(await failureOf(long)).toMatchObject(error);
  });

  it.each<[string, () => Agent]>([
    ['no name is resolved', () => new Agent({ lookup: () => {} })],
    [
      'all connections are busy',
      () => Object.assign(new Agent(), { createConnection: () => undefined }),
    ],
  ])('ends an upload for which %s, and reports no progress before', async (_, make) => {
    await using served = await serveStorage((request) => bodyOf(request), {
      agent: make(),
      host: 'localhost',
    });
    const seen: unknown[] = [];
    const onProgress = (progress: unknown) => seen.push(progress);
    const options = { timeouts: { perTry: 50 }, retry: false, onProgress } as const;
    for (const data of ['hello', new Blob(['hello']).stream()]) {
      const upload = served.storage.upload('a', data, options);
      expect(await failureOf(upload)).toMatchObject({ name: 'TimeoutError', timeout: 50 });
    }
    expect(seen).toEqual([]);
  });
});
