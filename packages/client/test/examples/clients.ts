import { bearer, createGatewayClient, createStorageClient } from '@berth/client';

const baseUrl = 'https://api.example.com';
const credentials = { authorization: '1.0 any', timestamp: 1_700_000_000 };

export const gateway = createGatewayClient({ baseUrl, auth: bearer('token') });
export const storage = createStorageClient({ baseUrl, envId: 'dev', credentials });
