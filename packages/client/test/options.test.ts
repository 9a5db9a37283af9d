import {
  createGatewayClient,
  createStorageClient,
  type GatewayClientOptions,
  type RetryOptions,
  type StorageClientOptions,
  tc3,
  tc3Storage,
} from '@berth/client';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { failureOf } from './support/fake-fetch.ts';
import { faultServer, hang, refuse } from './support/fault-server.ts';

const baseUrl = 'https://api.example';
const credentials = { authorization: '1.0 any', timestamp: 1 };
const serviceOf = (options: object) =>
  createGatewayClient({ baseUrl, ...options } as GatewayClientOptions).service('x');
const storageOf = (options: object = {}) =>
  createStorageClient({ baseUrl, envId: 'dev', credentials, ...options } as StorageClientOptions);
const neverResponds = { fetch: () => new Promise<never>(() => {}), retry: false };

afterEach(() => void vi.useRealTimers());

describe('a time limit', () => {
  it("that is undefined falls back to the client's", async () => {
    await using server = await faultServer(hang);
    const options = {
      baseUrl: server.baseUrl,
      retry: false,
      timeouts: { perTry: 60, total: 60_000 },
    };
    const timeouts = { perTry: undefined, total: undefined };
    const error = { name: 'TimeoutError', timeout: 60 };
    expect(await failureOf(serviceOf(options).get('a', { timeouts }))).toMatchObject(error);
    expect(await failureOf(storageOf(options).upload('a', 'a', { timeouts }))).toMatchObject(error);
    const total = { name: 'TimeoutError', timeout: 90 };
    const hasty = { ...options, timeouts: { perTry: 60_000, total: 90 } };
    const patient = serviceOf(hasty).get('a', { timeouts: { perTry: 0 } });
    expect(await failureOf(patient)).toMatchObject(total);
  });

  it('that is undefined in the client is the default', async () => {
    vi.useFakeTimers();
    const timeouts = { perTry: undefined, total: undefined };
    const failure = failureOf(serviceOf({ ...neverResponds, timeouts }).get('a'));
    await vi.advanceTimersByTimeAsync(65_000);
    expect(await failure).toMatchObject({ name: 'TimeoutError', timeout: 65_000 });
  });

  it('lets a GET be sent again, and a POST fail', async () => {
    vi.useFakeTimers();
    const fetch = vi.fn(async () => Response.json({ a: 1 }));
    const once = () => fetch.mockImplementationOnce(() => new Promise(() => {}));
    once();
    const get = serviceOf({ fetch }).get('a');
    await vi.advanceTimersByTimeAsync(70_000);
    expect(await get).toEqual({ a: 1 });
    once();
    const post = failureOf(serviceOf({ fetch }).post('a'));
    await vi.advanceTimersByTimeAsync(70_000);
    expect(await post).toMatchObject({ name: 'TimeoutError' });
    expect(fetch).toHaveBeenCalledTimes(3);
  });

  it('does not end an event stream that is open', async () => {
    vi.useFakeTimers();
    const body = new ReadableStream({
      async pull(controller) {
        await new Promise((resolve) => setTimeout(resolve, 200_000));
        controller.enqueue(new TextEncoder().encode('data: late\n\n'));
      },
    });
    const headers = { 'Content-Type': 'text/event-stream' };
    const events = serviceOf({ fetch: async () => new Response(body, { headers }) }).events('a');
    const next = events.next();
    await vi.advanceTimersByTimeAsync(200_000);
    expect((await next).value).toMatchObject({ data: 'late' });
  });

  it.each([Number.NaN, -1, '5', null])('of %j is refused', async (value) => {
    const text = `timeouts.perTry must be a number of at least 0, got ${value}.`;
    const timeouts = { perTry: value as number };
    expect(() => serviceOf({ timeouts })).toThrow(new RangeError(text));
    expect(() => storageOf({ timeouts })).toThrow(new RangeError(text));
    const calls = [
      serviceOf({}).get('a', { timeouts }),
      serviceOf({}).connect('a', { timeouts }),
      serviceOf({}).events('a', { timeouts }).next(),
      storageOf().tempUrl('a', { timeouts }),
    ];
    for (const call of calls.map(failureOf)) expect(await call).toEqual(new RangeError(text));
  });
});

describe('retry', () => {
  async function triesOf(clientRetry?: RetryOptions | false, retry?: RetryOptions | false) {
    await using server = await faultServer(refuse('SERVICE_NOT_READY', 503));
    const service = serviceOf({ baseUrl: server.baseUrl, retry: clientRetry });
    await failureOf(service.get('a', { retry }));
    return server.calls.length;
  }
  const quick = { attempts: 2, baseDelay: 1 };

  it('of a call is laid over that of the client, field by field', async () => {
    expect(await triesOf(quick, { attempts: 4 })).toBe(4);
    expect(await triesOf(quick, { attempts: undefined, maxDelay: 8 })).toBe(2);
    expect(await triesOf(quick, false)).toBe(1);
    expect(await triesOf(false, quick)).toBe(2);
    expect(await triesOf(false)).toBe(1);
  });

  it.each([
    [{ attempts: 0 }, 'retry.attempts must be a number of at least 1, got 0.'],
    [{ attempts: Number.NaN }, 'retry.attempts must be a number of at least 1, got NaN.'],
    [{ baseDelay: '1' }, 'retry.baseDelay must be a number of at least 0, got 1.'],
    [{ maxDelay: -1 }, 'retry.maxDelay must be a number of at least 0, got -1.'],
    [{ maxRetryAfter: null }, 'retry.maxRetryAfter must be a number of at least 0, got null.'],
  ])('of %j is refused', async (value, text) => {
    const retry = value as RetryOptions;
    expect(() => serviceOf({ retry })).toThrow(new RangeError(text));
    expect(() => storageOf({ retry })).toThrow(new RangeError(text));
    expect(await failureOf(serviceOf({}).get('a', { retry }))).toEqual(new RangeError(text));
    expect(await failureOf(storageOf().delete('a', { retry }))).toEqual(new RangeError(text));
  });

  it.each([
    [{ retry: true }, 'retry must be an object or false, got boolean.'],
    [{ timeouts: 5 }, 'timeouts must be an object, got number.'],
  ])('and timeouts have a form: %j', (options, text) => {
    expect(() => serviceOf(options)).toThrow(new TypeError(text));
  });
});

describe('an invalid argument is rejected with one sentence', () => {
  const notAbsolute = 'baseUrl must be an absolute http(s) URL, got';
  it.each<[string, () => unknown]>([
    [
      'createGatewayClient needs { baseUrl } or { envId, gatewayDomain }.',
      () => createGatewayClient(undefined as never),
    ],
    [
      'createStorageClient needs { baseUrl, envId, credentials }.',
      () => createStorageClient(undefined as never),
    ],
    [`${notAbsolute} "127.0.0.1:4010".`, () => serviceOf({ baseUrl: '127.0.0.1:4010' })],
    [`${notAbsolute} "localhost:4010".`, () => storageOf({ baseUrl: 'localhost:4010' })],
    [`${notAbsolute} undefined.`, () => storageOf({ baseUrl: undefined })],
    [`${notAbsolute} object.`, () => serviceOf({ baseUrl: new URL(baseUrl) })],
    [
      'auth must be bearer(…), tc3(…), or an object with authorize(), got string.',
      () => serviceOf({ auth: '5ec4e7' }),
    ],
    [
      'credentials must be an object or a function, got undefined.',
      () => storageOf({ credentials: undefined }),
    ],
    ['tc3() needs { secretId, secretKey }.', () => tc3(undefined as never)],
    [
      'tc3Storage() needs { secretId, secretKey } or a function.',
      () => tc3Storage(undefined as never),
    ],
  ])('%s', (text, create) => {
    expect(create).toThrow(new TypeError(text));
  });

  const missing = undefined as never;
  const storage = storageOf({ retry: false });
  const service = serviceOf({ retry: false });
  it.each<[string, () => Promise<unknown>]>([
    ['fileIDs must be an array, got undefined.', () => storage.delete(missing)],
    ['fileID must be a string, got undefined.', () => storage.delete([missing])],
    ['fileID must be a string, got undefined.', () => storage.tempUrl(missing)],
    ['fileID must be a string, got undefined.', () => storage.publicUrl(missing)],
    ['fileIDs must be an array, got undefined.', () => storage.tempUrls(missing)],
    ['fileIDs must be an array, got string.', () => storage.tempUrls('a' as never)],
    ['fileID must be a string, got null.', () => storage.tempUrls([null as never])],
    ['fileID must be a string, got undefined.', () => storage.download(missing)],
    ['files must be an array, got undefined.', () => storage.copy(missing)],
    ['dstPath must be a string, got undefined.', () => storage.copy('/a', missing)],
    ['srcPath must be a string, got undefined.', () => storage.move([{} as never])],
    ['path must be a string, got number.', () => service.get(5 as never)],
    ['path must be a string, got null.', () => service.connect(null as never)],
  ])('%s (%o)', async (text, call) => {
    expect(await failureOf(call())).toEqual(new TypeError(text));
  });
});
