import { bearer, createGatewayClient, createStorageClient } from '@berth/client';
import { mswHandlers } from '@berth/client/msw';
import { setupServer } from 'msw/node';
import { afterAll, afterEach, beforeAll } from 'vitest';

export const BASE = 'https://api.example.com';
export const STORAGE = `${BASE}/api/v2/envs/dev/storages:`;

/** Sets up handlers, an MSW server and real clients, like the tests of an application. */
export const berth = mswHandlers({ baseUrl: BASE });
export const server = setupServer(...berth.handlers);
beforeAll(() => server.listen({ onUnhandledRequest: 'error' }));
afterEach(() => server.resetHandlers());
afterEach(() => berth.files.clear());
afterAll(() => server.close());

export const headers = {
  'Content-Type': 'application/json',
  'X-Svc-Authorization': '1.0 any',
  'X-Svc-TimeStamp': '1700000000',
};
export const credentials = { authorization: '1.0 any', timestamp: 1_700_000_000 };
const options = { baseUrl: BASE, retry: false } as const;
export const storage = createStorageClient({ ...options, envId: 'dev', credentials });
export const gateway = createGatewayClient({ ...options, auth: bearer('token') });
