import ky from 'ky';
import {
  BODY,
  type CreateCalls,
  GATEWAY_HEADERS,
  GET_PATH,
  POST_PATH,
  STORAGE_HEADERS,
} from './calls.ts';

/**
 * Creates functions that make the calls with ky. By default, ky has a timeout of 10 s, and retries twice
 * except for POST.
 */
export const createCalls: CreateCalls = (baseUrl) => {
  const gateway = ky.create({ headers: GATEWAY_HEADERS });
  const storage = ky.create({ headers: STORAGE_HEADERS });
  return {
    get: () => gateway.get(baseUrl + GET_PATH).json(),
    post: () => storage.post(baseUrl + POST_PATH, { json: BODY }).json(),
  };
};
