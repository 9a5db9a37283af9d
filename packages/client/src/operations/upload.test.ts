import { Readable } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { envelope, failureOf } from '../../test/support/fake-fetch.ts';
import { meta, storageWith } from '../../test/support/storage.ts';

const granted = () => envelope({ data: meta });
const stored = () => new Response(null, { status: 204 });
const refusal = (code: string, status: number) =>
  new Response(
    `<Error><Code>${code}</Code><Message>No.</Message><RequestId>x-1</RequestId></Error>`,
    {
      status,
    },
  );

describe('upload', () => {
  it.each([
    ['a string', 'é', undefined, 'application/octet-stream'],
    ['bytes', new TextEncoder().encode('é'), undefined, 'application/octet-stream'],
    ['a Buffer', Buffer.from('é'), 'text/plain', 'text/plain'],
    ['a Blob with its type', new Blob(['é'], { type: 'text/css' }), undefined, 'text/css'],
    ['a Blob with another type', new Blob(['é'], { type: 'text/css' }), 'text/html', 'text/html'],
  ])('sends %s', async (_, data, contentType, type) => {
    const { storage, requests } = storageWith([granted(), stored()]);
    await storage.upload('a.txt', data, { contentType });
    const file = (await requests[1]?.formData())?.get('file') as File;
    expect(await file.text()).toBe('é');
    expect(file.type).toBe(type);
  });

  it.each([undefined, null, 1, {}, () => {}])('refuses %s as content', async (data) => {
    const { storage, requests } = storageWith([]);
    expect(await failureOf(storage.upload('a.txt', data as never))).toBeInstanceOf(TypeError);
    expect(requests).toEqual([]);
  });

  it.each<[string, () => Promise<unknown>]>([
    [
      'is locked',
      async () => {
        const stream = new Blob(['hi']).stream();
        stream.getReader();
        return stream;
      },
    ],
    [
      'was read',
      async () => {
        const stream = new Blob(['hi']).stream();
        await new Response(stream).text();
        return stream;
      },
    ],
    [
      'was left after its first bytes',
      async () => {
        const stream = new Blob(['hi']).stream();
        const reader = stream.getReader();
        await reader.read();
        reader.releaseLock();
        return stream;
      },
    ],
    [
      'is of Node and was read',
      async () => {
        const stream = Readable.from(['hi']);
        await stream.toArray();
        return stream;
      },
    ],
    ['is of Node and was destroyed', async () => Readable.from(['hi']).destroy()],
  ])('refuses a stream that %s', async (_, make) => {
    const { storage, requests } = storageWith([]);
    const error = await failureOf(storage.upload('a.txt', (await make()) as never));
    expect(error).toEqual(new TypeError('The stream has already been read.'));
    expect(requests).toEqual([]);
  });

  it.each(['', undefined, null])('refuses %j as path before anything is sent', async (path) => {
    const { storage, requests } = storageWith([]);
    const missing = new TypeError('path must not be empty.');
    expect(await failureOf(storage.upload(path as string, 'hello'))).toEqual(missing);
    expect(requests).toEqual([]);
  });

  it.each([200, 201, 403, 500])('fails on an Error element with status %d', async (status) => {
    const responses = [granted(), refusal('AccessDenied', status)];
    const { storage } = storageWith(responses, { retry: false });
    expect(await failureOf(storage.upload('a.txt', 'hello'))).toMatchObject({
      name: 'UploadError',
      code: 'AccessDenied',
      status,
      requestId: 'x-1',
      message: `a.txt was not uploaded: AccessDenied, No. (POST /bucket, status ${status}, request id x-1)`,
    });
  });

  it('treats a body without an Error element as a success', async () => {
    const body = '<PostResponse><Key>a.txt</Key></PostResponse>';
    const { storage } = storageWith([granted(), new Response(body, { status: 201 })]);
    expect(await storage.upload('a.txt', 'hello')).toEqual({ fileID: meta.fileID });
  });

  it.each([302, 502])('fails on status %d without an Error element', async (status) => {
    const responses = [granted(), new Response('<html>', { status })];
    const { storage } = storageWith(responses, { retry: false });
    expect(await failureOf(storage.upload('a.txt', 'hello'))).toMatchObject({
      name: 'UploadError',
      code: undefined,
      status,
    });
  });

  it('sends no form if the grant has a fileID that is not a string', async () => {
    const { storage, requests } = storageWith([envelope({ data: { ...meta, fileID: 1 } })]);
    const error = await failureOf(storage.upload('a.txt', 'hello'));
    expect(error).toMatchObject({ name: 'StorageError' });
    expect(requests).toHaveLength(1);
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
    const result = await upload;
    return { waited: Date.now() - start, result };
  }
  const slowDown = (headers: HeadersInit = {}) => {
    const { body, status } = refusal('SlowDown', 503);
    return new Response(body, { status, headers });
  };

  it('doubles, whatever has failed', async () => {
    const responses = [granted(), slowDown(), granted(), new Error('lost'), granted(), slowDown()];
    const { waited, result } = await waits([...responses, granted(), stored()], {
      retry: { attempts: 4 },
    });
    expect([waited, result]).toEqual([125 + 250 + 500, { fileID: meta.fileID }]);
  });

  it('is no shorter than Retry-After', async () => {
    const responses = [granted(), slowDown({ 'Retry-After': '7' }), granted(), stored()];
    expect(await waits(responses)).toEqual({ waited: 7000, result: { fileID: meta.fileID } });
  });

  it.each([429, 500, 503])('happens after status %d', async (status) => {
    const { waited } = await waits([granted(), refusal('X', status), granted(), stored()]);
    expect(waited).toBe(125);
  });

  it.each<[string, object, string]>([
    ['the attempts are used up', { retry: { attempts: 1 } }, '0'],
    ['retries are turned off', { retry: false }, '0'],
    ['the wait is too long', {}, '31'],
    ['no time is left for it', { timeouts: { total: 7000 } }, '7'],
  ])('does not happen if %s', async (_, options, seconds) => {
    const responses = [granted(), slowDown({ 'Retry-After': seconds })];
    const { waited, result } = await waits(responses, options);
    expect(waited).toBe(0);
    expect(result).toMatchObject({ name: 'UploadError', code: 'SlowDown' });
  });
});
