import { bearer, createGatewayClient, createStorageClient } from '@berth/client';
import { mswHandlers, routes } from '@berth/mock/msw';
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

it('waits for a busy storage', async () => {
  berth.faults.put('busy', 'getUploadMetaData:code=SERVICE_UNAVAILABLE,times=1');
  await storage.upload('may.html', 'May'); // retried after a second, as the response asks
  expect(berth.files.get('may.html')).toHaveLength(3);
});
