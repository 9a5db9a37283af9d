import { bearer, createGatewayClient, createStorageClient } from '@berth/client';
import { CREDENTIALS, type CreateCalls, FILE_ID, TOKEN } from './calls.ts';

/**
 * Creates functions that make the calls with our client as the README shows, with its default retries,
 * timeouts and checks.
 */
export const createCalls: CreateCalls = (baseUrl) => {
  const service = createGatewayClient({ baseUrl, auth: bearer(TOKEN) }).service('hello');
  const storage = createStorageClient({ baseUrl, envId: 'dev', credentials: CREDENTIALS });
  return {
    get: () => service.get('users/7?full=true'),
    post: () => storage.delete(FILE_ID),
  };
};
