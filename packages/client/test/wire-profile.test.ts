import { toWireProfile } from '@berth/client';
import { createMock, type Mock } from '@berth/mock';
import acme from '@berth/spec/wire-profiles/acme.json' with { type: 'json' };
import { afterAll, beforeAll, expect, it } from 'vitest';
import { failureOf } from './support/fake-fetch.ts';
import { gatewayAt } from './support/gateway.ts';
import { storageAt } from './support/storage.ts';

const wireProfile = toWireProfile(acme);
let mock: Mock;
beforeAll(async () => {
  mock = await createMock({ wireProfile });
});
afterAll(() => mock.close());

it('stores, copies and deletes files of a deployment with its own names', async () => {
  const storage = storageAt(mock.storageUrl, { wireProfile });
  const { fileID } = await storage.upload('a.txt', 'hello');
  expect(await (await storage.download(fileID)).text()).toBe('hello');
  await storage.move('/a.txt', '/b.txt');
  const error = await failureOf(storage.move('/a.txt', '/b.txt'));
  expect(error).toMatchObject({ kind: 'storage', status: 200 });
  expect(String(error)).toContain('Not moved: /a.txt to /b.txt: STORAGE_FILE_NONEXIST');
  const stranger = storageAt(mock.storageUrl);
  expect(await failureOf(stranger.delete(fileID))).toMatchObject({ code: 'SIGN_PARAM_INVALID' });
});

it('distinguishes the errors of the gateway from those of a service by its own names', async () => {
  const auth = { authorize: () => 'Bearer a' };
  const service = gatewayAt(mock.gatewayUrl, { wireProfile, auth }).service('hello');
  const { headers } = await service.request();
  expect(headers.get('X-Acme-Upstream-Status-Code')).toBe('200');
  const refused = failureOf(service.get('', { headers: { Prefer: 'code=503' }, retry: false }));
  expect(await refused).toMatchObject({ kind: 'gateway', code: 'SERVICE_NOT_READY' });
});
