import createClient from 'openapi-fetch';
import { BODY, type CreateCalls, GATEWAY_HEADERS, STORAGE_HEADERS } from './calls.ts';

type Call = (path: string, init: object) => Promise<unknown>;

/**
 * Returns a `CreateCalls` for openapi-fetch with an optional timeout.
 *
 * @param limit timeout in milliseconds; omit it for no timeout, as in openapi-fetch itself
 */
export const withLimit =
  (limit?: number): CreateCalls =>
  (baseUrl) => {
    const gateway = createClient<Record<string, never>>({ baseUrl, headers: GATEWAY_HEADERS });
    const storage = createClient<Record<string, never>>({ baseUrl, headers: STORAGE_HEADERS });
    const get = gateway.GET as Call;
    const post = storage.POST as Call;
    const ofUser = { path: { name: 'hello', id: 7 }, query: { full: true } };
    const common = () => (limit === undefined ? {} : { signal: AbortSignal.timeout(limit) });
    return {
      get: () => get('/v1/cloudrun/{name}/users/{id}', { params: ofUser, ...common() }),
      post: () =>
        post('/api/v2/envs/{envId}/storages:batchDelete', {
          params: { path: { envId: 'dev' } },
          body: BODY,
          ...common(),
        }),
    };
  };

/**
 * Creates functions that make the calls with openapi-fetch and its defaults. It has no timeout by default.
 */
export const createCalls = withLimit();
