import { bearer, createGatewayClient, toGatewayError } from '@berth/client';
import { createMock, type Mock } from '@berth/mock';
import acme from '@berth/spec/wire-profiles/acme.json' with { type: 'json' };
import { afterAll, beforeAll, expect, it } from 'vitest';
import { failureOf } from './support/fake-fetch.ts';
import { storageAt } from './support/storage.ts';

let mock: Mock;
beforeAll(async () => {
  mock = await createMock({ wireProfile: acme });
});
afterAll(() => mock.close());

it('stores, copies and deletes files of a deployment with its own names', async () => {
  const storage = storageAt(mock.storageUrl, { wireProfile: acme });
  const { fileID } = await storage.upload('a.txt', 'hello');
  expect(await (await storage.download(fileID)).text()).toBe('hello');
  await storage.move('/a.txt', '/b.txt');
  const error = await failureOf(storage.move('/a.txt', '/b.txt'));
  expect(error).toMatchObject({ name: 'StorageError', status: 200 });
  expect(String(error)).toContain('Not moved: /a.txt to /b.txt: STORAGE_FILE_NONEXIST');
  const stranger = storageAt(mock.storageUrl);
  expect(await failureOf(stranger.delete(fileID))).toMatchObject({ code: 'SIGN_PARAM_INVALID' });
});

it('distinguishes the errors of the gateway from those of a service by its own names', async () => {
  const baseUrl = mock.gatewayUrl;
  const gateway = createGatewayClient({ baseUrl, wireProfile: acme, auth: bearer('a') });
  const params = { path: { name: 'hello' } };
  const { response } = await gateway.GET('/v1/cloudrun/{name}', { params });
  expect(response.headers.get('X-Acme-Upstream-Status-Code')).toBe('200');
  const headers = { Prefer: 'code=503' };
  const refused = await gateway.GET('/v1/cloudrun/{name}', { params, headers });
  const error = { source: 'gateway', code: 'SERVICE_NOT_READY' };
  expect(toGatewayError(refused)).toMatchObject(error);
});
