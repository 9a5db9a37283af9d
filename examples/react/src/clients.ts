// src/clients.ts
import { bearer, createGatewayClient, createStorageClient } from '@berth/client';

const baseUrl = 'http://127.0.0.1:4010'; // the mock accepts any credentials

export const gateway = createGatewayClient({ baseUrl, auth: bearer('dev') });
export const storage = createStorageClient({
  baseUrl,
  envId: 'dev',
  credentials: { authorization: '1.0 any', timestamp: '1700000000' },
});
