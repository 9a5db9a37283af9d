// Makes the same small call over and over with one client, and prints its CPU time in microseconds.
// Arguments: client, `get` or `post`, server URL, concurrency, total number of calls.
const [client, kind, baseUrl = '', atATime, total] = process.argv.slice(2);

const TOKEN = 'a-token-of-the-bench';
const FILE_ID = 'cloud://dev.files/reports/summary.txt';
const CREDENTIALS = { authorization: '1.0 a', sessionToken: '', timestamp: '1700000000' };

/**
 * A GET of a hosted service that returns JSON, and a POST of the storage API with its three headers. Each process
 * loads only the client that it measures, which is used as its README shows.
 */
const CALLS: Record<string, () => Promise<() => Promise<unknown>>> = {
  async 'ours get'() {
    const { bearer, createGatewayClient } = await import('@berth/client');
    const service = createGatewayClient({ baseUrl, auth: bearer(TOKEN) }).service('hello');
    return () => service.get('users/7?full=true');
  },
  async 'ours post'() {
    const { createStorageClient } = await import('@berth/client');
    const storage = createStorageClient({ baseUrl, envId: 'dev', credentials: CREDENTIALS });
    return () => storage.delete(FILE_ID);
  },
  async 'openapi-fetch get'() {
    const { GET } = await createOpenapiFetch({ Authorization: `Bearer ${TOKEN}` });
    const params = { path: { name: 'hello', id: 7 }, query: { full: true } };
    return () => GET('/v1/cloudrun/{name}/users/{id}', { params, ...withTimeLimit() });
  },
  async 'openapi-fetch post'() {
    const { POST } = await createOpenapiFetch({
      'X-Svc-Authorization': CREDENTIALS.authorization,
      'X-Svc-SessionToken': CREDENTIALS.sessionToken,
      'X-Svc-TimeStamp': CREDENTIALS.timestamp,
    });
    const call = { params: { path: { envId: 'dev' } }, body: { fileList: [FILE_ID] } };
    const path = '/api/v2/envs/{envId}/storages:batchDelete';
    return () => POST(path, { ...call, ...withTimeLimit() });
  },
};

async function createOpenapiFetch(headers: Record<string, string>) {
  const { default: createClient } = await import('openapi-fetch');
  type Call = (path: string, init: object) => Promise<unknown>;
  return createClient({ baseUrl, headers }) as unknown as Record<'GET' | 'POST', Call>;
}

/** That of our client, in milliseconds; openapi-fetch has none. */
function withTimeLimit() {
  return { signal: AbortSignal.timeout(120_000) };
}

const call = await CALLS[`${client} ${kind}`]?.();
if (!call) throw new Error(`Unknown call: ${client} ${kind}.`);
await makeCalls(call);
const before = process.cpuUsage();
await makeCalls(call);
const { user, system } = process.cpuUsage(before);
process.stdout.write(`${(user + system) / Number(total)}`);
// Keep-alive connections would keep the process running.
process.exit();

async function makeCalls(call: () => Promise<unknown>): Promise<void> {
  let left = Number(total);
  const lane = async () => {
    while (left-- > 0) await call();
  };
  await Promise.all(Array.from({ length: Number(atATime) }, lane));
}

export {};
