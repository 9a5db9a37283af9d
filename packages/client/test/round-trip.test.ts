import { bearer, createGatewayClient, type StorageClient, toGatewayError } from '@berth/client';
import { createMock, type Mock } from '@berth/mock';
import acme from '@berth/spec/wire-profiles/acme.json' with { type: 'json' };
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { failureOf } from './support/fake-fetch.ts';
import { storageAt } from './support/storage.ts';

let mock: Mock;
let storage: StorageClient;
let gateway: ReturnType<typeof createGatewayClient>;

beforeAll(async () => {
  mock = await createMock({ port: 0, env: 'dev' });
  storage = storageAt(mock.storageUrl);
  gateway = createGatewayClient({ baseUrl: mock.gatewayUrl, auth: bearer('any-token') });
});
afterAll(() => mock.close());

const bytesOf = async (fileID: string) =>
  new Uint8Array(await (await storage.download(fileID)).arrayBuffer());
const missing = { name: 'StorageError', code: 'STORAGE_FILE_NONEXIST' };

describe('a file', () => {
  it('goes through its complete life cycle', async () => {
    const bytes = Uint8Array.from({ length: 100_000 }, (_, index) => (index * 31) % 256);
    const { fileID } = await storage.upload('reports/summary.bin', bytes);
    expect(await bytesOf(fileID)).toEqual(bytes);

    const copy = await storage.copy('/reports/summary.bin', '/archive/copy.bin');
    expect(await bytesOf(copy.fileID ?? '')).toEqual(bytes);
    expect(await bytesOf(fileID)).toEqual(bytes);

    const moved = await storage.move('/archive/copy.bin', '/archive/moved.bin');
    expect(await bytesOf(moved.fileID ?? '')).toEqual(bytes);
    expect(await failureOf(storage.tempUrl(copy.fileID ?? ''))).toMatchObject(missing);

    await storage.delete(fileID);
    expect(await failureOf(storage.download(fileID))).toMatchObject(missing);
    expect(await failureOf(storage.delete(fileID))).toMatchObject(missing);
    expect(await bytesOf(moved.fileID ?? '')).toEqual(bytes);
  });
});

describe('a deployment with its own names', () => {
  it('is used as well, from the upload to the deletion', async () => {
    await using own = await createMock({ wireProfile: acme });
    const files = storageAt(own.storageUrl, { wireProfile: acme });
    const { fileID } = await files.upload('a.txt', 'hello');
    expect(await (await files.download(fileID)).text()).toBe('hello');
    await files.delete(fileID);
    expect(await failureOf(storageAt(own.storageUrl).delete(fileID))).toMatchObject({
      code: 'SIGN_PARAM_INVALID',
    });
  });

  it('distinguishes the errors of the gateway from those of a service', async () => {
    await using own = await createMock({ wireProfile: acme });
    const call = createGatewayClient({
      baseUrl: own.gatewayUrl,
      wireProfile: acme,
      auth: bearer('a'),
    });
    const params = { path: { name: 'hello' } };
    const { response } = await call.GET('/v1/cloudrun/{name}', { params });
    expect(response.headers.get('X-Acme-Upstream-Status-Code')).toBe('200');
    const headers = { Prefer: 'code=503' };
    const refused = await call.GET('/v1/cloudrun/{name}', { params, headers });
    const error = { source: 'gateway', code: 'SERVICE_NOT_READY' };
    expect(toGatewayError(refused)).toMatchObject(error);
  });
});

describe('a refused call', () => {
  it('names the file that is missing', async () => {
    const error = await failureOf(storage.move('/no-such-file.txt', '/b.txt'));
    expect(error).toMatchObject({ ...missing, status: 200 });
    expect(String(error)).toMatch(/Not moved: \/no-such-file\.txt to \/b\.txt: STORAGE_FILE_/);
  });
});

describe('a hosted service', () => {
  it('is called with a path of several segments and a query', async () => {
    const { data, response } = await gateway.GET('/v1/cloudrun/{name}/{anyPath}', {
      params: { path: { name: 'hello', anyPath: 'a/b?x=1' } },
    });
    expect(response.url).toBe(`${mock.gatewayUrl}/v1/cloudrun/hello/a/b?x=1`);
    expect(response.status).toBe(200);
    expect(data).toBeTypeOf('object');
  });

  it('is refused by the gateway with a typed error', async () => {
    const anonymous = createGatewayClient({ baseUrl: mock.gatewayUrl });
    const params = { path: { name: 'hello' } };
    const result = await anonymous.GET('/v1/cloudrun/{name}', { params });
    expect(toGatewayError(result)).toMatchObject({
      name: 'GatewayError',
      source: 'gateway',
      code: 'MISSING_CREDENTIALS',
      requestId: result.response.headers.get('X-Request-Id'),
    });
  });
});
