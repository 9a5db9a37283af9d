// A driver of @berth/client: npx berth-conformance client -- node berth-client.ts
import { realpathSync } from 'node:fs';
import { createInterface } from 'node:readline';
import {
  bearer,
  createGatewayClient,
  createStorageClient,
  type FetchLike,
  isBerthError,
  tc3,
  tc3Storage,
} from '@berth/client';

interface Task {
  id: number;
  task: string;
  method: string;
  service: string;
  path: string;
  body: unknown;
  auth: 'bearer' | 'key';
  count: number;
  content: string;
  fileID: string;
  fileIDs: string[];
  files: { srcPath: string; dstPath: string }[];
}

const { env } = process;

/** Creates a function that does a task. */
export function createDriver(options: { fetch?: FetchLike } = {}) {
  const more = { retry: { baseDelay: 20 }, ...options };
  const keys = {
    secretId: env.BERTH_SECRET_ID ?? '',
    secretKey: env.BERTH_SECRET_KEY ?? '',
    token: env.BERTH_SESSION_TOKEN ?? '',
  };
  const baseUrl = env.BERTH_GATEWAY_URL ?? '';
  const gateways = {
    bearer: createGatewayClient({ ...more, baseUrl, auth: bearer(env.BERTH_TOKEN ?? '') }),
    key: createGatewayClient({ ...more, baseUrl, auth: tc3(keys) }),
  };
  const storage = createStorageClient({
    ...more,
    baseUrl: env.BERTH_STORAGE_URL ?? '',
    envId: env.BERTH_ENV ?? '',
    credentials: tc3Storage(keys),
  });
  const tasks: Record<string, (task: Task) => Promise<object>> = {
    async call({ service, method, path, body, auth }) {
      const hosted = gateways[auth].service(service);
      return { body: await (method === 'POST' ? hosted.post(path, body) : hosted.get(path)) };
    },
    async events({ service, path, count }) {
      const events: object[] = [];
      for await (const event of gateways.bearer.service(service).events(path)) {
        events.push(event);
        if (events.length === count) break;
      }
      return { events };
    },
    upload: ({ path, content }) => storage.upload(path, Buffer.from(content, 'base64')),
    async download({ fileID }) {
      const bytes = await (await storage.download(fileID)).arrayBuffer();
      return { content: Buffer.from(bytes).toString('base64') };
    },
    links: async ({ fileIDs }) => toFiles(await storage.tempUrls(fileIDs)),
    delete: async ({ fileIDs }) => toFiles(await storage.delete(fileIDs)),
    copy: async ({ files }) => toFiles(await storage.copy(files)),
    move: async ({ files }) => toFiles(await storage.move(files)),
  };
  return async (task: Task): Promise<object> => {
    const run = tasks[task.task];
    if (run === undefined) return { unsupported: true };
    try {
      return { result: await run(task) };
    } catch (error) {
      return { error: toError(error) };
    }
  };
}

function toFiles(results: readonly { url?: string | undefined; error?: Error | undefined }[]) {
  return { files: results.map(({ url, error }) => (error ? { error: toError(error) } : { url })) };
}

function toError(error: unknown): object {
  const { message } = error as Error;
  if (!isBerthError(error)) return { message };
  return { code: error.code, status: error.status, requestId: error.requestId, message };
}

/** Reads tasks from stdin, one per line, and prints the results. */
export async function serve(run: (task: Task) => Promise<object>): Promise<void> {
  for await (const line of createInterface({ input: process.stdin })) {
    const task: Task = JSON.parse(line);
    process.stdout.write(`${JSON.stringify({ id: task.id, ...(await run(task)) })}\n`);
  }
}

const [, main] = process.argv;
if (main && realpathSync(main) === import.meta.filename) await serve(createDriver());
