import { ofetch } from 'ofetch';
import {
  BODY,
  type CreateCalls,
  GATEWAY_HEADERS,
  GET_PATH,
  POST_PATH,
  STORAGE_HEADERS,
} from './calls.ts';

/**
 * Creates functions that make the calls with ofetch. Sets a timeout, because ofetch has none by default.
 * Ofetch retries once, except for POST.
 */
export const createCalls: CreateCalls = (baseURL) => {
  const common = { baseURL, timeout: 65_000 };
  const gateway = ofetch.create({ ...common, headers: GATEWAY_HEADERS });
  const storage = ofetch.create({ ...common, headers: STORAGE_HEADERS });
  return {
    get: () => gateway(GET_PATH),
    post: () => storage(POST_PATH, { method: 'POST', body: BODY }),
  };
};
