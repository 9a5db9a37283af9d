// Makes the same small call over and over with one client, and prints its CPU time in microseconds.
// Arguments: client, server URL, `get` or `post`, concurrency, total number of calls.

/** The same two small calls, made with each client in its usual way. */
interface Calls {
  /** A GET of a hosted service that returns JSON. */
  get(): Promise<unknown>;
  /** A POST of the storage API, with the three credential headers. */
  post(): Promise<unknown>;
}

const FILE_ID = 'cloud://dev.files/reports/summary.txt';
const BODY = { fileList: [FILE_ID] };
const TOKEN = 'a-token-of-the-bench';
const CREDENTIALS = { authorization: '1.0 a', sessionToken: '', timestamp: '1700000000' };
const GATEWAY_HEADERS = { Authorization: `Bearer ${TOKEN}` };
const STORAGE_HEADERS = {
  'X-Svc-Authorization': CREDENTIALS.authorization,
  'X-Svc-SessionToken': CREDENTIALS.sessionToken,
  'X-Svc-TimeStamp': CREDENTIALS.timestamp,
};
/** That of our client, in milliseconds. */
const TIMEOUT = 120_000;

/** Each process loads only the client that it measures. */
const CLIENTS: Record<string, (baseUrl: string) => Promise<Calls>> = {
  /** As the README shows, with the default retries, time limit and checks. */
  async ours(baseUrl) {
    const { bearer, createGatewayClient, createStorageClient } = await import('@berth/client');
    const service = createGatewayClient({ baseUrl, auth: bearer(TOKEN) }).service('hello');
    const storage = createStorageClient({ baseUrl, envId: 'dev', credentials: CREDENTIALS });
    return { get: () => service.get('users/7?full=true'), post: () => storage.delete(FILE_ID) };
  },
  'openapi-fetch': withOpenapiFetch,
};

/** With a time limit; it has none by default. */
async function withOpenapiFetch(baseUrl: string): Promise<Calls> {
  const { default: createClient } = await import('openapi-fetch');
  type Call = (path: string, init: object) => Promise<unknown>;
  const gateway = createClient<Record<string, never>>({ baseUrl, headers: GATEWAY_HEADERS });
  const storage = createClient<Record<string, never>>({ baseUrl, headers: STORAGE_HEADERS });
  const get = gateway.GET as Call;
  const post = storage.POST as Call;
  const common = () => ({ signal: AbortSignal.timeout(TIMEOUT) });
  const ofUser = { path: { name: 'hello', id: 7 }, query: { full: true } };
  const ofEnv = { path: { envId: 'dev' } };
  return {
    get: () => get('/v1/cloudrun/{name}/users/{id}', { params: ofUser, ...common() }),
    post: () =>
      post('/api/v2/envs/{envId}/storages:batchDelete', { params: ofEnv, body: BODY, ...common() }),
  };
}

const [client = '', baseUrl = '', kind, atATime, total] = process.argv.slice(2);
const calls = await CLIENTS[client]?.(baseUrl);
if (!calls) throw new Error(`Unknown client: ${client}.`);
const call = calls[kind as keyof Calls];

await run(Number(total));
const before = process.cpuUsage();
await run(Number(total));
const { user, system } = process.cpuUsage(before);
process.stdout.write(`${(user + system) / Number(total)}`);
// Keep-alive connections would keep the process running.
process.exit();

async function run(count: number): Promise<void> {
  let left = count;
  const lane = async () => {
    while (left-- > 0) await call();
  };
  await Promise.all(Array.from({ length: Number(atATime) }, lane));
}

export {};
