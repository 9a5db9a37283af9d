import type { StorageClient } from '@berth/client';
import type { CallId, Calls, Target, UploadMetaData } from './calls.ts';

/** A running mock or reference server, with a service named `hello`. */
export interface Deployment extends Target {
  readonly storage: StorageClient;
  /** A grant for an upload, fetched without a generated client. */
  createGrant(path: string): Promise<UploadMetaData & { readonly fileID: string }>;
}

/** A path with a slash and a repeated parameter, which a gateway has to receive as it is. */
const PATH = 'a/b?x=1&x=2';
const BODY = { name: 'Ada' };
const JSON_BODY = JSON.stringify(BODY);
const CONTENT = 'Hello from Berth.';

interface Check {
  readonly title: string;
  /** Throws if the call does not do what its operation is for. */
  run(calls: Calls, deployment: Deployment): Promise<void>;
}

/** The matrix columns, each with its check. */
export const CHECKS: Readonly<Record<CallId, Check>> = {
  get: {
    title: 'GET',
    run: async (calls) => expectPart(await calls.get(), { method: 'GET', url: '/' }),
  },
  post: {
    title: 'POST',
    run: async (calls) =>
      expectPart(await calls.post(BODY), {
        ...{ method: 'POST', url: '/', body: JSON_BODY },
        type: 'application/json',
      }),
  },
  getPath: {
    title: 'GET `a/b?x=1&x=2`',
    run: async (calls) => expectPart(await calls.getPath(PATH), { method: 'GET', url: `/${PATH}` }),
  },
  postPath: {
    title: 'POST `a/b?x=1&x=2`',
    run: async (calls) =>
      expectPart(await calls.postPath(PATH, BODY), {
        ...{ method: 'POST', url: `/${PATH}`, body: JSON_BODY },
      }),
  },
  text: {
    title: 'Text',
    run: async (calls) => expectEqual(await calls.text(), 'Hello'),
  },
  error: {
    title: 'Error code',
    run: async (calls) => expectEqual(await calls.error(), 'SERVICE_NOT_FOUND'),
  },
  events: {
    title: 'Event stream',
    async run(calls) {
      for await (const event of await calls.events()) {
        const text = event instanceof Uint8Array ? new TextDecoder().decode(event) : event;
        if (JSON.stringify(text)?.includes('Hel')) return;
        throw new Error(`The first event is ${JSON.stringify(text)}.`);
      }
      throw new Error('The stream has no event.');
    },
  },
  getUploadMetaData: {
    title: '`getUploadMetaData`',
    async run(calls) {
      const data = await calls.getUploadMetaData('interop/new.txt');
      const { url, authorization, token, storeFileID } = data ?? {};
      if (!url || !authorization || !token || !storeFileID) {
        throw new Error(`The metadata is ${JSON.stringify(data)}.`);
      }
    },
  },
  upload: {
    title: 'Upload',
    async run(calls, { storage, createGrant }) {
      const key = `interop/${crypto.randomUUID()}.txt`;
      const { fileID, ...to } = await createGrant(key);
      await calls.upload({ to, key, file: new Blob([CONTENT]) });
      expectEqual(await (await storage.download(fileID)).text(), CONTENT);
    },
  },
  batchGetTempUrls: {
    title: '`batchGetTempUrls`, download',
    async run(calls, { storage }) {
      const { fileID } = await storage.upload(`interop/${crypto.randomUUID()}.txt`, CONTENT);
      const response = await fetch((await calls.batchGetTempUrls(fileID)) ?? '');
      expectEqual(await response.text(), CONTENT);
    },
  },
  batchCopyFile: {
    title: '`batchCopyFile`',
    async run(calls, { storage }) {
      const [from, to] = [`interop/${crypto.randomUUID()}`, `interop/${crypto.randomUUID()}`];
      const { fileID } = await storage.upload(from, CONTENT);
      await calls.batchCopyFile(`/${from}`, `/${to}`);
      const copy = await storage.download(fileID.replace(from, to));
      expectEqual(await copy.text(), CONTENT);
    },
  },
  batchDelete: {
    title: '`batchDelete`',
    async run(calls, { storage }) {
      const { fileID } = await storage.upload(`interop/${crypto.randomUUID()}.txt`, CONTENT);
      await calls.batchDelete(fileID);
      const [link] = await storage.tempUrls([fileID]);
      if (!link?.error) throw new Error('The file is still there.');
    },
  },
};

function expectPart(received: unknown, part: Record<string, unknown>): void {
  const own = (received ?? {}) as Record<string, unknown>;
  expectEqual(Object.fromEntries(Object.keys(part).map((key) => [key, own[key]])), part);
}

function expectEqual(received: unknown, expected: unknown): void {
  const [left, right] = [JSON.stringify(received), JSON.stringify(expected)];
  if (left !== right) throw new Error(`${left} instead of ${right}`);
}
