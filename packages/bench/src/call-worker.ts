// Makes the same small call over and over with one client, and prints the cost per call.
// Arguments: client, server URL, `get` or `post`, concurrency, total number of calls.
import type { CreateCalls } from './clients/calls.ts';

const CLIENTS: Record<string, () => Promise<{ createCalls: CreateCalls }>> = {
  axios: () => import('./clients/axios.ts'),
  'bare fetch': () => import('./clients/bare-fetch.ts'),
  ky: () => import('./clients/ky.ts'),
  ofetch: () => import('./clients/ofetch.ts'),
  'openapi-fetch': () => import('./clients/openapi-fetch.ts'),
  'openapi-fetch with a time limit': () => import('./clients/openapi-fetch-with-a-limit.ts'),
  ours: () => import('./clients/ours.ts'),
};

const [client = '', baseUrl = '', kind, atATime, total] = process.argv.slice(2);
const { createCalls } = (await CLIENTS[client]?.()) ?? {};
if (!createCalls) throw new Error(`Unknown client: ${client}.`);
const call = createCalls(baseUrl)[kind as 'get' | 'post'];

await run(Number(total));
const before = process.cpuUsage();
await run(Number(total));
const { user, system } = process.cpuUsage(before);
process.stdout.write(JSON.stringify({ cpu: (user + system) / Number(total) }));
// Keep-alive connections would keep the process running.
process.exit();

async function run(calls: number): Promise<void> {
  let left = calls;
  const lane = async () => {
    while (left-- > 0) await call();
  };
  await Promise.all(Array.from({ length: Number(atATime) }, lane));
}
