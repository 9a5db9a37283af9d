import {
  BODY,
  type CreateCalls,
  GATEWAY_HEADERS,
  GET_PATH,
  POST_PATH,
  STORAGE_HEADERS,
} from './calls.ts';

/** Creates functions that make the calls with nothing but `fetch` and `json()`. */
export const createCalls: CreateCalls = (baseUrl) => {
  const headers = { ...STORAGE_HEADERS, 'Content-Type': 'application/json' };
  return {
    get: async () => (await fetch(baseUrl + GET_PATH, { headers: GATEWAY_HEADERS })).json(),
    post: async () => {
      const init = { method: 'POST', headers, body: JSON.stringify(BODY) };
      return (await fetch(baseUrl + POST_PATH, init)).json();
    },
  };
};
