import type { StorageClient } from '@berth/client';
import { type Client, dataOf, type Outcome, type Target, toForm, unwrap } from './calls.ts';

/** A running mock or reference server, with a service named `hello`. */
export interface Deployment extends Target {
  readonly storage: StorageClient;
  /** A grant for an upload, fetched without a generated client. */
  createGrant(path: string): Promise<{ url: string; authorization: string; fileID: string }>;
}

/** A path with a slash and a repeated parameter, which a gateway has to receive as it is. */
const PATH = 'a/b?x=1&x=2';
const BODY = { name: 'Ada' };
const JSON_BODY = JSON.stringify(BODY);
const CONTENT = 'Hello from Berth.';

interface Check {
  readonly title: string;
  /** Throws if the call does not do what its operation is for. */
  run(client: Client, deployment: Deployment): Promise<void>;
}

/** The calls in the matrix, each with its check. */
export const CHECKS = {
  get: {
    title: 'GET',
    run: async ({ get }) => expectPart(get(''), { method: 'GET', url: '/' }),
  },
  post: {
    title: 'POST',
    run: async ({ post }) =>
      expectPart(post('', BODY), {
        ...{ method: 'POST', url: '/', body: JSON_BODY },
        type: 'application/json',
      }),
  },
  getPath: {
    title: 'GET `a/b?x=1&x=2`',
    run: async ({ get }) => expectPart(get(PATH), { method: 'GET', url: `/${PATH}` }),
  },
  postPath: {
    title: 'POST `a/b?x=1&x=2`',
    run: async ({ post }) =>
      expectPart(post(PATH, BODY), { method: 'POST', url: `/${PATH}`, body: JSON_BODY }),
  },
  text: {
    title: 'Text',
    run: async ({ get, text = () => get('text') }) => expectEqual(await dataOf(text()), 'Hello'),
  },
  error: {
    title: 'Error code',
    run: async ({ get }) =>
      expectEqual(Object((await get('', 'missing')).error).code, 'SERVICE_NOT_FOUND'),
  },
  events: {
    title: 'Event stream',
    async run({ get, events = () => get('events') }) {
      for await (const event of (await dataOf(events())) as AsyncIterable<unknown>) {
        const text = event instanceof Uint8Array ? new TextDecoder().decode(event) : event;
        if (JSON.stringify(text)?.includes('Hel')) return;
        throw new Error(`The first event is ${JSON.stringify(text)}.`);
      }
      throw new Error('The stream has no event.');
    },
  },
  getUploadMetaData: {
    title: '`getUploadMetaData`',
    async run(client) {
      const data = await unwrap(client.getUploadMetaData('interop/new.txt'));
      if (data.url && data.authorization && data.token && data.storeFileID) return;
      throw new Error(`The metadata is ${JSON.stringify(data)}.`);
    },
  },
  upload: {
    title: 'Upload',
    async run(client, { storage, createGrant }) {
      const key = `interop/${crypto.randomUUID()}.txt`;
      const { url, fileID, ...grant } = await createGrant(key);
      await dataOf(client.upload(url, toForm(grant, key, new Blob([CONTENT]))));
      expectEqual(await (await storage.download(fileID)).text(), CONTENT);
    },
  },
  batchGetTempUrls: {
    title: '`batchGetTempUrls`, download',
    async run(client, { storage }) {
      const { fileID } = await storage.upload(`interop/${crypto.randomUUID()}.txt`, CONTENT);
      const { fileList } = await unwrap(client.batchGetTempUrls([{ fileID }]));
      const [link] = fileList as { tempFileURL: string }[];
      expectEqual(await (await fetch(link?.tempFileURL ?? '')).text(), CONTENT);
    },
  },
  batchCopyFile: {
    title: '`batchCopyFile`',
    async run(client, { storage }) {
      const [from, to] = [`interop/${crypto.randomUUID()}`, `interop/${crypto.randomUUID()}`];
      const { fileID } = await storage.upload(from, CONTENT);
      await dataOf(client.batchCopyFile([{ srcPath: `/${from}`, dstPath: `/${to}` }]));
      const copy = await storage.download(fileID.replace(from, to));
      expectEqual(await copy.text(), CONTENT);
    },
  },
  batchDelete: {
    title: '`batchDelete`',
    async run(client, { storage }) {
      const { fileID } = await storage.upload(`interop/${crypto.randomUUID()}.txt`, CONTENT);
      await dataOf(client.batchDelete([fileID]));
      const [link] = await storage.tempUrls([fileID]);
      if (!link?.error) throw new Error('The file is still there.');
    },
  },
} satisfies Record<string, Check>;

export type CallId = keyof typeof CHECKS;

export const CALL_IDS = Object.keys(CHECKS) as CallId[];

async function expectPart(call: Promise<Outcome>, part: Record<string, unknown>): Promise<void> {
  const own = Object(await dataOf(call));
  expectEqual(Object.fromEntries(Object.keys(part).map((key) => [key, own[key]])), part);
}

function expectEqual(received: unknown, expected: unknown): void {
  const [left, right] = [JSON.stringify(received), JSON.stringify(expected)];
  if (left !== right) throw new Error(`${left} instead of ${right}`);
}
