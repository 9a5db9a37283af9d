import axios from 'axios';
import {
  BODY,
  type CreateCalls,
  GATEWAY_HEADERS,
  GET_PATH,
  POST_PATH,
  STORAGE_HEADERS,
} from './calls.ts';

/**
 * Creates functions that make the calls with axios on `node:http`. Sets a timeout, because axios has none by
 * default. Axios never retries.
 */
export const createCalls: CreateCalls = (baseURL) => {
  const common = { baseURL, timeout: 65_000 };
  const gateway = axios.create({ ...common, headers: GATEWAY_HEADERS });
  const storage = axios.create({ ...common, headers: STORAGE_HEADERS });
  return {
    get: async () => (await gateway.get(GET_PATH)).data,
    post: async () => (await storage.post(POST_PATH, BODY)).data,
  };
};
