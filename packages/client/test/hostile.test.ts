import { getEventListeners } from 'node:events';
import { createReadStream } from 'node:fs';
import { chmod, lstat, mkdtemp, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { bearer, createGatewayClient, tc3 } from '@berth/client';
import { describe, expect, it, vi } from 'vitest';
import { failureOf, list, refused } from './support/fake-fetch.ts';
import { type Act, faultServer, refuse, serve, truncate } from './support/fault-server.ts';
import { bodyOf, type Handler, serveStorage } from './support/loopback.ts';
import { storageWith } from './support/storage.ts';

const ok = serve({ a: 1 });
const baseUrl = 'http://gateway.example';
const quick = { retry: { delay: 1 } };

describe('credentials', () => {
  it('are renewed if the token of a function ends with a line feed', async () => {
    await using server = await faultServer(refuse('ACCESS_TOKEN_EXPIRED', 401), ok);
    const token = vi.fn(() => `t${token.mock.calls.length}\n`);
    const gateway = createGatewayClient({ baseUrl: server.baseUrl, auth: bearer(token) });
    expect(await gateway.service('orders').get('a')).toEqual({ a: 1 });
    expect(server.calls.map(({ headers }) => headers.authorization)).toEqual([
      'Bearer t1',
      'Bearer t2',
    ]);
  });

  it('are asked for again if a function never settles', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const token = vi.fn<() => string | Promise<string>>(() => new Promise<string>(() => {}));
    const fetch = async () => Response.json({ a: 1 });
    const service = createGatewayClient({ baseUrl, auth: bearer(token), fetch }).service('orders');
    const late = failureOf(service.get('a', { timeout: 1_000 }));
    await vi.advanceTimersByTimeAsync(31_000);
    vi.useRealTimers();
    expect(await late).toMatchObject({ kind: 'timeout' });
    token.mockReturnValue('t2');
    expect(await service.get('a')).toEqual({ a: 1 });
  });

  it('ignore a clock that no signature can have', async () => {
    const headers = { Date: '+275760-09-12T00:00:00Z' };
    const fetch = async () => refused('INVALID_CREDENTIALS', 401, headers);
    const auth = tc3({ secretId: 'id', secretKey: 'key' });
    const service = createGatewayClient({ baseUrl, auth, fetch }).service('orders');
    await failureOf(service.get('a'));
    expect(await failureOf(service.get('a'))).toMatchObject({ kind: 'gateway', status: 401 });
  });

  it('are not shown by an error for a wrong header, URL or result', async () => {
    const fetch = async () => Response.json({});
    const wrong = { authorize: () => ({ token: '5ec4e7' }) as never };
    const gateway = createGatewayClient({ baseUrl, fetch });
    const calls = [
      gateway.fetch('http://user:5ec4e7@gateway.example/v1/cloudrun/a1'),
      gateway.service('orders').get('a', { headers: { Authorization: 'Bearer 5ec\n4e7' } }),
      createGatewayClient({ baseUrl, fetch, auth: wrong }).service('orders').get('a'),
    ];
    for (const call of calls) {
      const error = await failureOf(call);
      expect(error).toMatchObject({ kind: 'options' });
      expect(String(error)).not.toMatch(/5ec|4e7/);
    }
  });
});

describe('a caller', () => {
  it('gets no listener left on a signal that lives long', async () => {
    const { signal } = new AbortController();
    const fetch = async () => Response.json({ a: 1 });
    const service = createGatewayClient({ baseUrl, fetch }).service('orders');
    const any = vi.spyOn(AbortSignal, 'any');
    await service.get('a', { signal });
    for (const { value } of any.mock.results) expect(getEventListeners(value, 'abort')).toEqual([]);
    any.mockRestore();
  });

  it('may time out a Request whose body never ends', async () => {
    const body = new ReadableStream();
    const request = new Request(`${baseUrl}/v1/cloudrun/a1`, {
      method: 'POST',
      body,
      duplex: 'half',
    } as RequestInit);
    const call = createGatewayClient({ baseUrl }).fetch(request, { timeout: 20 });
    expect(await failureOf(call)).toMatchObject({ kind: 'timeout' });
  });

  it('may send a Node stream that cannot be opened', async () => {
    await using server = await faultServer(ok);
    const service = createGatewayClient({ baseUrl: server.baseUrl, ...quick }).service('orders');
    const sent = service.post('a', createReadStream('/does/not/exist'));
    expect(await failureOf(sent)).toMatchObject({ kind: 'network' });
  });

  it('cannot call another service by a path without a slash', async () => {
    const orders = createGatewayClient({ baseUrl }).service<Record<string, never>>('orders');
    const call = (orders.GET as (path: string) => Promise<unknown>)('items');
    expect(await failureOf(call)).toMatchObject({ kind: 'options' });
  });

  it('cannot send a GET with a body', async () => {
    const call = createGatewayClient({ baseUrl }).fetch(baseUrl, { body: 'a' });
    expect(await failureOf(call)).toMatchObject({ kind: 'options' });
  });
});

describe('a server', () => {
  it('gets no more attempts than allowed, wherever they fail', async () => {
    const busy = refuse('SERVICE_NOT_READY', 503);
    await using server = await faultServer(busy, truncate, truncate, ok);
    const service = createGatewayClient({ baseUrl: server.baseUrl, ...quick }).service('orders');
    expect(await failureOf(service.get('a'))).toMatchObject({ kind: 'network' });
    expect(server.calls).toHaveLength(3);
  });

  it('cannot fill the memory with an error', async () => {
    let sent = 0;
    const endless: Act = (_, response) => {
      response.writeHead(500);
      const chunk = Buffer.alloc(65_536, 'a');
      const write = () => {
        while (!response.destroyed && response.write(chunk)) sent += chunk.length;
      };
      response.on('drain', write);
      write();
    };
    await using server = await faultServer(endless);
    const service = createGatewayClient({ baseUrl: server.baseUrl, retry: false }).service(
      'orders',
    );
    const response = await service.request('a');
    expect(response.status).toBe(500);
    await response.body?.cancel();
    expect(sent).toBeLessThan(16_777_216);
  });
});

describe('an upload target', () => {
  it.each<[string, string, (write: (text: string) => void) => void]>([
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
    [
      'sends nothing but 100',
      'timeout',
      (write) => setInterval(() => write('HTTP/1.1 100 Continue\r\n\r\n'), 20),
    ],
  ])('cannot hold an upload: %s', async (_, kind, respond) => {
    await using served = await serveStorage(
      async (request) => {
        await bodyOf(request);
        respond((text) => request.socket.writable && request.socket.write(text));
      },
      { idle: 200, retry: false },
    );
    expect(await failureOf(served.storage.upload('a.txt', 'hello'))).toMatchObject({ kind });
  });

  it('survives an iterator whose return() throws', async () => {
    await using served = await serveStorage(async (request, response) => {
      await bodyOf(request);
      response.writeHead(204).end();
    });
    const chunks = ['a', 'b'];
    const source = {
      [Symbol.asyncIterator]: () => ({
        next: async () => ({ done: chunks.length === 0, value: chunks.shift() }),
        return() {
          throw new Error('already closed');
        },
      }),
    };
    const { fileID } = await served.storage.upload('a.txt', source as never);
    expect(fileID).toBe('cloud://dev.files/a.txt');
  });
});

describe('a download to a file', () => {
  const sendFile: Handler = (_, response) => response.end('new');

  it('keeps the mode of a file, and links and devices as they are', async () => {
    const folder = await mkdtemp('download-');
    await using served = await serveStorage(sendFile);
    const [file, link] = [`${folder}/${'文'.repeat(80)}`, `${folder}/link`];
    await writeFile(file, 'old');
    await chmod(file, 0o600);
    await symlink(file.slice(folder.length + 1), link);
    for (const target of [file, link, '/dev/null']) {
      await served.storage.downloadToFile('cloud://dev.files/a.txt', target);
    }
    expect(await readFile(file, 'utf8')).toBe('new');
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect((await lstat(link)).isSymbolicLink()).toBe(true);
    expect((await stat('/dev/null')).isCharacterDevice()).toBe(true);
    await rm(folder, { recursive: true });
  });
});

it('takes no part of a file without its place, after a redirect to another origin', async () => {
  const { storage } = storageWith([
    list({ fileID: 'a', code: 'SUCCESS', tempFileURL: 'https://files.example/a' }),
    Object.defineProperty(new Response('abc', { status: 206 }), 'type', { value: 'cors' }),
  ]);
  const call = storage.download('a', { range: { offset: 100, length: 50 } });
  expect(await failureOf(call)).toMatchObject({ kind: 'storage' });
});

it('gives no file the result of another one if an entry is missing', async () => {
  const { storage } = storageWith([list({ fileID: 'cloud://dev.files/d' })]);
  const results = await storage.copy([
    { srcPath: '/a', dstPath: '/c' },
    { srcPath: '/b', dstPath: '/d' },
  ]);
  expect(results.map(({ error }) => error?.message)).toEqual([
    expect.stringContaining('no entry'),
    expect.stringContaining('no entry'),
  ]);
});
