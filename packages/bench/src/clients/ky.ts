import ky from 'ky';
import {
  BODY,
  type CreateCalls,
  GATEWAY_HEADERS,
  GET_PATH,
  POST_PATH,
  STORAGE_HEADERS,
} from './calls.ts';

/** Makes the calls with ky, whose defaults are a timeout of 10 s and two retries, except for POST. */
export const createCalls: CreateCalls = (baseUrl) => {
  const gateway = ky.create({ headers: GATEWAY_HEADERS });
  const storage = ky.create({ headers: STORAGE_HEADERS });
  return {
    get: () => gateway.get(baseUrl + GET_PATH).json(),
    post: () => storage.post(baseUrl + POST_PATH, { json: BODY }).json(),
  };
};
