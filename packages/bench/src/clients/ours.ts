import { bearer, createGatewayClient, createStorageClient } from '@berth/client';
import { CREDENTIALS, type CreateCalls, FILE_ID, TOKEN } from './calls.ts';

/** Makes the calls with our client as in the README, with its default retries, timeouts and checks. */
export const createCalls: CreateCalls = (baseUrl) => {
  const service = createGatewayClient({ baseUrl, auth: bearer(TOKEN) }).service('hello');
  const storage = createStorageClient({ baseUrl, envId: 'dev', credentials: CREDENTIALS });
  return {
    get: () => service.get('users/7?full=true'),
    post: () => storage.delete(FILE_ID),
  };
};
