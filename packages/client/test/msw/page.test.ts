// @vitest-environment happy-dom
import { gatewayError } from '@berth/client/msw';
import { expect, it, vi } from 'vitest';
import { failureOf } from '../support/fake-fetch.ts';
import { BASE, berth, gateway, headers, STORAGE, server, storage } from './set-up.ts';

vi.mock('msw', () => import('msw3'));
vi.mock('msw/node', () => import('msw3/node'));

// MSW 3 keeps happy-dom's `fetch`, which sends a preflight, like a cross-origin page.
const users = gateway.service('users');

it('calls a hosted service from another origin', async () => {
  server.use(
    berth.service('users').get(':id', ({ params }) => ({ id: params.id })),
    berth.service('users').post('', () => gatewayError('SERVICE_FORBIDDEN')),
  );
  expect(await users.get('7')).toEqual({ id: '7' });
  expect(await failureOf(users.post('', {}))).toMatchObject({ code: 'SERVICE_FORBIDDEN' });
});

it('is a 404 for a service that is not mocked', async () => {
  expect(await failureOf(users.get('7'))).toMatchObject({ code: 'SERVICE_NOT_FOUND' });
});

it('stores files and reads them from another origin', async () => {
  const { fileID } = await storage.upload('a.txt', 'Hello');
  expect(await (await storage.download(fileID)).text()).toBe('Hello');
  expect(await failureOf(storage.delete(`${fileID}.gone`))).toMatchObject({
    code: 'STORAGE_FILE_NONEXIST',
  });
});

it('may read every response', async () => {
  const { fileID } = await storage.upload('a.txt', 'Hello');
  const post = { method: 'POST', headers, body: '{}' };
  for (const [url, init] of [
    [`${BASE}/v1/cloudrun/users`, {}],
    [`${STORAGE}batchDelete`, post],
    [`${STORAGE}none`, post],
    [`${BASE}/upload`, { method: 'POST', body: new FormData() }],
    [await storage.tempUrl(fileID), {}],
    [`${BASE}/files/none`, {}],
  ] as const) {
    const response = await fetch(url, init);
    expect.soft(response.headers.get('Access-Control-Allow-Origin'), url).toBe('*');
  }
});
