import { createInterface } from 'node:readline';
import { tc3Storage } from '@berth/client';
import profile from '@berth/spec/wire-profiles/default.json' with { type: 'json' };
import {
  CallError,
  type CopyItem,
  type CreateClient,
  dataOf,
  type Outcome,
  type Target,
  toForm,
  unwrap,
} from '../../src/calls.ts';

interface Task {
  id: number;
  task: string;
  method: string;
  path: string;
  body: Record<string, unknown>;
  auth: string;
  content: string;
  fileID: string;
  fileIDs: string[];
  files: CopyItem[];
}

const { env } = process;

/** The deployment that the suite has started, and the headers of storage calls. */
async function readTarget(): Promise<Target> {
  const { authorization, timestamp } = await tc3Storage({
    secretId: env.BERTH_SECRET_ID ?? '',
    secretKey: env.BERTH_SECRET_KEY ?? '',
  })();
  const names = profile.storageHeaders;
  return {
    gatewayUrl: env.BERTH_GATEWAY_URL ?? '',
    storageUrl: env.BERTH_STORAGE_URL ?? '',
    env: env.BERTH_ENV ?? '',
    token: env.BERTH_TOKEN ?? '',
    storageHeaders: {
      [names.authorization]: authorization,
      [names.sessionToken]: env.BERTH_SESSION_TOKEN ?? '',
      [names.timestamp]: String(timestamp),
    },
  };
}

async function toFiles(call: Promise<Outcome>) {
  const { fileList: list } = await unwrap(call);
  if (!Array.isArray(list)) return { files: [] };
  const files = list.map(({ code = 'SUCCESS', message, tempFileURL }) =>
    code === 'SUCCESS' ? { url: tempFileURL } : { error: { code, message } },
  );
  return { files };
}

/** Does the tasks that the suite sends, with the client in the module of `clients/` that the argument names. */
async function drive(): Promise<void> {
  const { create }: { create: CreateClient } = await import(`../${process.argv[2]}.ts`);
  const client = create(await readTarget(), true);
  const links = (ids: string[]) =>
    toFiles(client.batchGetTempUrls(ids.map((fileID) => ({ fileID }))));
  const tasks: Record<string, (task: Task) => Promise<object>> = {
    call: async ({ method, path, body }) => ({
      body: await dataOf(method === 'POST' ? client.post(path, body) : client.get(path)),
    }),
    async upload({ path, content }) {
      const grant = await unwrap(client.getUploadMetaData(path));
      const file = new Blob([Buffer.from(content, 'base64')]);
      await dataOf(client.upload(String(grant.url), toForm(grant, path, file)));
      return { fileID: grant.fileID };
    },
    async download({ fileID }) {
      const [file] = (await links([fileID])).files;
      const response = await fetch(Object(file).url);
      if (!response.ok) throw new CallError({ error: {}, response });
      return { content: Buffer.from(await response.arrayBuffer()).toString('base64') };
    },
    links: async ({ fileIDs }) => links(fileIDs),
    delete: async ({ fileIDs }) => toFiles(client.batchDelete(fileIDs)),
    copy: async ({ files }) => toFiles(client.batchCopyFile(files)),
    move: async ({ files }) =>
      toFiles(client.batchCopyFile(files.map((file) => ({ ...file, removeOriginal: true })))),
  };
  for await (const line of createInterface({ input: process.stdin })) {
    const task: Task = JSON.parse(line);
    const run = task.auth === 'key' ? undefined : tasks[task.task];
    const reply = run
      ? await run(task).then(
          (result) => ({ result }),
          (error: Error) => ({
            error: error instanceof CallError ? error.fields : { message: String(error) },
          }),
        )
      : { unsupported: true };
    process.stdout.write(`${JSON.stringify({ id: task.id, ...reply })}\n`);
  }
}

await drive();
