import { createInterface } from 'node:readline';
import { tc3Storage } from '@berth/client';
import profile from '@berth/spec/wire-profiles/default.json' with { type: 'json' };

/** What a client returned: `data`, or the body of an error. */
export interface Outcome {
  readonly data?: unknown;
  readonly error?: unknown;
  readonly response?: { readonly status: number } | undefined;
}

/** The calls of a client, made as a user of it would make them. */
export interface DrivenClient {
  get(path: string): Promise<Outcome>;
  post(path: string, body: Record<string, unknown>): Promise<Outcome>;
  getUploadMetaData(path: string): Promise<Outcome>;
  upload(url: string, form: FormFields): Promise<Outcome>;
  batchGetTempUrls(fileList: { fileID: string }[]): Promise<Outcome>;
  batchDelete(fileList: string[]): Promise<Outcome>;
  batchCopyFile(fileList: CopyItem[]): Promise<Outcome>;
}

export interface FormFields {
  Signature: string;
  'x-store-security-token': string;
  'x-store-meta-fileid': string;
  key: string;
  file: Blob;
}

interface CopyItem {
  srcPath: string;
  dstPath: string;
  removeOriginal?: boolean;
}

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
export async function readTarget() {
  const { authorization, timestamp } = await tc3Storage({
    secretId: env.BERTH_SECRET_ID ?? '',
    secretKey: env.BERTH_SECRET_KEY ?? '',
  })();
  const names = profile.storageHeaders;
  return {
    gateway: env.BERTH_GATEWAY_URL ?? '',
    storage: env.BERTH_STORAGE_URL ?? '',
    env: env.BERTH_ENV ?? '',
    token: env.BERTH_TOKEN ?? '',
    storageHeaders: {
      [names.authorization]: authorization,
      [names.sessionToken]: env.BERTH_SESSION_TOKEN ?? '',
      [names.timestamp]: String(timestamp),
    },
  };
}

/** Thrown for a call that the client reports as failed. */
class CallError extends Error {
  readonly fields: object;

  constructor({ error, response }: Outcome) {
    super('the call failed');
    const own = Object(error);
    const { code, requestId, message } = Object(own.body ?? own);
    this.fields = { code, requestId, message, status: response?.status };
  }
}

function unwrap(outcome: Outcome): Record<string, unknown> {
  if (outcome.error !== undefined) throw new CallError(outcome);
  return Object(Object(Object(outcome.data).body).data);
}

/** Does the tasks that the suite sends, with the calls of a client. */
export async function drive(client: DrivenClient): Promise<void> {
  const toFiles = (outcome: Outcome) => {
    const list = unwrap(outcome).fileList;
    if (!Array.isArray(list)) return { files: [] };
    const files = list.map(({ code = 'SUCCESS', message, tempFileURL }) =>
      code === 'SUCCESS' ? { url: tempFileURL } : { error: { code, message } },
    );
    return { files };
  };
  const links = async (ids: string[]) =>
    toFiles(await client.batchGetTempUrls(ids.map((fileID) => ({ fileID }))));
  const tasks: Record<string, (task: Task) => Promise<object>> = {
    async call({ method, path, body }) {
      const outcome = await (method === 'POST' ? client.post(path, body) : client.get(path));
      if (outcome.error !== undefined) throw new CallError(outcome);
      return { body: outcome.data };
    },
    async upload({ path, content }) {
      const grant = unwrap(await client.getUploadMetaData(path));
      const form = {
        Signature: grant.authorization as string,
        'x-store-security-token': grant.token as string,
        'x-store-meta-fileid': grant.storeFileID as string,
        key: path,
        file: new Blob([Buffer.from(content, 'base64')]),
      };
      const outcome = await client.upload(grant.url as string, form);
      if (outcome.error !== undefined) throw new CallError(outcome);
      return { fileID: grant.fileID };
    },
    async download({ fileID }) {
      const [file] = (await links([fileID])).files;
      const response = await fetch(Object(file).url);
      if (!response.ok) throw new CallError({ error: {}, response });
      return { content: Buffer.from(await response.arrayBuffer()).toString('base64') };
    },
    links: async ({ fileIDs }) => links(fileIDs),
    delete: async ({ fileIDs }) => toFiles(await client.batchDelete(fileIDs)),
    copy: async ({ files }) => toFiles(await client.batchCopyFile(files)),
    move: async ({ files }) =>
      toFiles(await client.batchCopyFile(files.map((file) => ({ ...file, removeOriginal: true })))),
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
