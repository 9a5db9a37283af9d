/** The same two small calls, made with each client in its usual way. */
interface Calls {
  /** A GET of a hosted service that returns JSON. */
  get(): Promise<unknown>;
  /** A POST of the storage API, with the three credential headers. */
  post(): Promise<unknown>;
}

export type CreateCalls = (baseUrl: string) => Calls;

export const FILE_ID = 'cloud://dev.files/reports/summary.txt';
export const BODY = { fileList: [FILE_ID] };
export const TOKEN = 'a-token-of-the-bench';
export const CREDENTIALS = { authorization: '1.0 a', sessionToken: '', timestamp: '1700000000' };

export const GATEWAY_HEADERS = { Authorization: `Bearer ${TOKEN}` };
export const STORAGE_HEADERS = {
  'X-Svc-Authorization': CREDENTIALS.authorization,
  'X-Svc-SessionToken': CREDENTIALS.sessionToken,
  'X-Svc-TimeStamp': CREDENTIALS.timestamp,
};

export const GET_PATH = '/v1/cloudrun/hello/users/7?full=true';
export const POST_PATH = '/api/v2/envs/dev/storages:batchDelete';
