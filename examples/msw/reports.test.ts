import { bearer, createGatewayClient, createStorageClient } from '@berth/client';
import { GatewayError, mswHandlers, routes } from '@berth/mock/msw';
import { setupServer } from 'msw/node';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';

const baseUrl = 'https://api.example.com';
const credentials = { authorization: '1.0 any', timestamp: 1_700_000_000 };
const gateway = createGatewayClient({ baseUrl, auth: bearer('token') });
const storage = createStorageClient({ baseUrl, envId: 'dev', credentials });

const berth = mswHandlers({
  baseUrl,
  services: {
    reports: routes({ 'GET /:month': (_, { month }) => new Response(`<h1>${month}</h1>`) }),
  },
});
const server = setupServer(...berth.handlers);
beforeAll(() => server.listen());
afterEach(() => berth.reset());
afterAll(() => server.close());

it('stores a report', async () => {
  const report = await gateway.service('reports').get<string>('may');
  await storage.upload('may.html', report);
  expect(berth.files.list()).toMatchObject([{ path: 'may.html', size: 12 }]);
});

it('waits for a busy service', async () => {
  let isReady = false;
  berth.services.set('reports', () => {
    if (isReady) return new Response('<h1>may</h1>');
    isReady = true;
    throw new GatewayError('SERVICE_NOT_READY');
  });
  const report = await gateway.service('reports').get('may'); // retried after a second
  expect(report).toBe('<h1>may</h1>');
});
