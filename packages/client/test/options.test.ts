import {
  createGatewayClient,
  createStorageClient,
  type GatewayClientOptions,
  type StorageClientOptions,
  tc3,
  tc3Storage,
} from '@berth/client';
import { describe, expect, it } from 'vitest';
import { failureOf } from './support/fake-fetch.ts';

const baseUrl = 'https://api.example';
const credentials = { authorization: '1.0 any', timestamp: 1 };
const serviceOf = (options: object) =>
  createGatewayClient({ baseUrl, ...options } as GatewayClientOptions).service('x');
const storageOf = (options: object = {}) =>
  createStorageClient({ baseUrl, envId: 'dev', credentials, ...options } as StorageClientOptions);

describe('a number that is out of range is refused by clients and calls', () => {
  it.each([
    [{ timeouts: { perTry: -1 } }, 'timeouts.perTry must be a number of at least 0, got -1.'],
    [{ timeouts: { total: null } }, 'timeouts.total must be a number of at least 0, got null.'],
    [{ retry: { attempts: 0 } }, 'retry.attempts must be a number of at least 1, got 0.'],
    [{ retry: { baseDelay: '1' } }, 'retry.baseDelay must be a number of at least 0, got 1.'],
    [
      { retry: { maxDelay: Number.NaN } },
      'retry.maxDelay must be a number of at least 0, got NaN.',
    ],
  ])('%j', async (options, text) => {
    const error = new RangeError(text);
    expect(() => serviceOf(options)).toThrow(error);
    expect(() => storageOf(options)).toThrow(error);
    const own = options as never;
    expect(await failureOf(serviceOf({}).get('a', own))).toEqual(error);
    expect(await failureOf(serviceOf({}).events('a', own).next())).toEqual(error);
    expect(await failureOf(storageOf().tempUrl('a', own))).toEqual(error);
  });

  it.each([0, 0.5, Number.NaN, '60', null])('a maxAge of %j', async (maxAge) => {
    const error = await failureOf(storageOf().tempUrl('a', { maxAge: maxAge as number }));
    expect(error).toEqual(
      new RangeError(`maxAge must be an integer of at least 1, got ${String(maxAge)}.`),
    );
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
    [`${notAbsolute} "localhost:4010".`, () => storageOf({ baseUrl: 'localhost:4010' })],
    [`${notAbsolute} undefined.`, () => storageOf({ baseUrl: undefined })],
    [`${notAbsolute} object.`, () => serviceOf({ baseUrl: new URL(baseUrl) })],
    ['envId must not be empty, "." or "..".', () => storageOf({ envId: '..' })],
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
    ['retry must be an object or false, got boolean.', () => serviceOf({ retry: true })],
    ['timeouts must be an object, got number.', () => storageOf({ timeouts: 5 })],
  ])('%s', (text, create) => {
    expect(create).toThrow(new TypeError(text));
  });

  const missing = undefined as never;
  const storage = storageOf({ retry: false });
  const service = serviceOf({ retry: false });
  it.each<[string, () => Promise<unknown>]>([
    ['fileIDs must be an array, got undefined.', () => storage.delete(missing)],
    ['fileID must be a string, got undefined.', () => storage.delete([missing])],
    ['fileID must be a string, got undefined.', () => storage.publicUrl(missing)],
    ['fileIDs must be an array, got string.', () => storage.tempUrls('a' as never)],
    ['fileID must be a string, got undefined.', () => storage.download(missing)],
    ['files must be an array, got undefined.', () => storage.copy(missing)],
    ['dstPath must be a string, got undefined.', () => storage.copy('/a', missing)],
    ['srcPath must be a string, got undefined.', () => storage.move([{} as never])],
    ['path must not be empty.', () => storage.upload('', 'hello')],
    ['path must be a string, got number.', () => service.get(5 as never)],
    ['path must be a string, got null.', () => service.connect(null as never)],
  ])('%s (%o)', async (text, call) => {
    expect(await failureOf(call())).toEqual(new TypeError(text));
  });
});
