import { once } from 'node:events';
import { createReadStream } from 'node:fs';
import { Agent } from 'node:http';
import { Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import { failureOf } from './support/fake-fetch.ts';
import { bodyOf, type Handler, serveStorage } from './support/loopback.ts';

const xml = (code: string) =>
  `<?xml version="1.0"?><Error><Code>${code}</Code><Message>No.</Message></Error>`;
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

describe('an upload', () => {
  it('sends the form that the contract requires, with the file last and an exact length', async () => {
    let head: NodeJS.Dict<string | string[]> = {};
    let body = '';
    let target: string | undefined;
    await using served = await serveStorage(async (request, response) => {
      head = request.headers;
      target = request.url;
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
    expect(target).toBe('/target?grant=1');
  });

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

  it.each([403, 400, 200])('is not sent again after a refusal with status %d', async (status) => {
    await using served = await serveStorage(refuse(status, 'AccessDenied'));
    const error = await failureOf(served.storage.upload('a.txt', 'hello'));
    expect(error).toMatchObject({ name: 'UploadError', code: 'AccessDenied', status });
    expect(served.grants()).toBe(1);
  });

  it.each<[string, Handler, string]>([
    ['a refusal that may pass', refuse(503, 'SlowDown'), 'UploadError'],
    ['a lost connection', reset, 'NetworkError'],
  ])('of a stream is never sent again: %s', async (_, fault, name) => {
    const { handle, bodies } = inTurn(fault);
    await using served = await serveStorage(handle);
    const error = await failureOf(served.storage.upload('a.txt', new Blob(['hello']).stream()));
    expect(error).toMatchObject({ name });
    expect(served.grants()).toBe(1);
    expect(bodies).toEqual([]);
  });

  it('follows no redirect with its grant', async () => {
    let calls = 0;
    await using served = await serveStorage(async (request, response) => {
      calls += 1;
      await bodyOf(request);
      response.writeHead(307, { Location: '/elsewhere' }).end();
    });
    const error = await failureOf(served.storage.upload('a.txt', 'hello'));
    expect(error).toMatchObject({ name: 'UploadError', status: 307 });
    expect(calls).toBe(1);
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
});

describe('an abort in the middle', () => {
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
    const [connections] = await once(
      served.server.getConnections((_, count) => served.server.emit('counted', count)),
      'counted',
    );
    expect(connections).toBeLessThanOrEqual(1);
  });

  it('ends it if the stream stalls, or the target never responds', async () => {
    await using served = await serveStorage((request) => void request.resume());
    const silent = new ReadableStream<Uint8Array>();
    for (const data of [silent, 'hello']) {
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
  it('ends an upload that makes no progress', async () => {
    await using served = await serveStorage((request) => void request.resume());
    const timeouts = { perTry: 100 };
    const error = await failureOf(served.storage.upload('a', 'hello', { timeouts, retry: false }));
    expect(error).toMatchObject({ name: 'TimeoutError', timeout: 100 });
  });

  it('ends an upload that exceeds its total time', async () => {
    await using served = await serveStorage((request) => void request.resume());
    const error = await failureOf(
      served.storage.upload('a', endless(), { timeouts: { total: 100 } }),
    );
    expect(error).toMatchObject({ name: 'TimeoutError', timeout: 100 });
  });

  it.each<[string, () => Agent]>([
    ['no name is resolved', () => new Agent({ lookup: () => {} })],
    [
      'no connection is made',
      () => {
        const agent = new Agent();
        agent.createConnection = () => Object.assign(new Socket(), { connecting: true });
        return agent;
      },
    ],
    [
      'all connections are busy',
      () => {
        const agent = new Agent();
        agent.createConnection = () => undefined;
        return agent;
      },
    ],
  ])('ends an upload for which %s, and reports no progress before', async (_, make) => {
    await using served = await serveStorage((request) => bodyOf(request), {
      agent: make(),
      host: 'localhost',
    });
    const seen: unknown[] = [];
    const options = { timeouts: { perTry: 50 }, retry: false as const };
    const onProgress = (progress: unknown) => seen.push(progress);
    for (const data of ['hello', new Blob(['hello']).stream()]) {
      const upload = served.storage.upload('a', data, { ...options, onProgress });
      expect(await failureOf(upload)).toMatchObject({ name: 'TimeoutError', timeout: 50 });
    }
    expect(seen).toEqual([]);
  });
});
