import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';
import type { CallId } from './calls.ts';
import { type DocumentName, findManifest, installTool, toFile } from './tools.ts';

/** A document that a tool serves. */
export interface Served {
  send(path: string, init?: RequestInit): Promise<Response>;
  close(): Promise<void> | void;
}

/** Sends a request to what a tool serves of a document. */
type Send = (document: DocumentName, path: string, init?: RequestInit) => Promise<Response>;

/** What a mock server cannot do with the documents, and what to do instead. */
interface Limit {
  readonly calls: readonly CallId[];
  readonly why: string;
}

/** A third-party mock server that serves the published documents. */
export interface MockServer {
  readonly name: string;
  readonly id: string;
  readonly package: string;
  readonly packages?: readonly string[];
  readonly command: string;
  readonly config?: string;
  serve(file: string): Promise<Served>;
  /** Calls that need a header in the request. */
  readonly settings: readonly (Limit & { readonly headers: Readonly<Record<string, string>> })[];
  readonly limits: readonly Limit[];
}

const SCALAR = ['@scalar/mock-server@0.14.4'];

const SEGMENTS: Limit = {
  calls: ['getPath', 'postPath'],
  why: 'A path parameter is one segment, as in OpenAPI 3.1. Call `a%2Fb`, or use [`@berth/mock`](../../packages/mock/README.md).',
};
const FILES: Limit = {
  calls: ['batchGetTempUrls'],
  why: 'It keeps no files, so the link is the one of the example. Use `@berth/mock`.',
};
const EVENTS: Limit = {
  calls: ['events'],
  why: 'Event streams are in the extension `x-berth-content`, which it does not read. Use `@berth/mock`.',
};
const ERROR = {
  calls: ['error'],
  why: 'It returns an error on request.',
  headers: { Prefer: 'code=404' },
} as const;

export const MOCK_SERVERS: readonly MockServer[] = [
  {
    name: '`@stoplight/prism-cli`',
    id: 'prism',
    package: '@stoplight/prism-cli',
    command: 'npx @stoplight/prism-cli mock gateway.v1.json',
    serve: servePrism,
    settings: [ERROR],
    limits: [SEGMENTS, EVENTS, FILES],
  },
  {
    name: '`@scalar/mock-server`',
    id: 'scalar',
    package: '@scalar/mock-server',
    packages: SCALAR,
    command:
      "const app = await createMockServer({ document: await readFile('gateway.v1.json', 'utf8') });",
    serve: serveScalar,
    settings: [ERROR],
    limits: [SEGMENTS, EVENTS, FILES],
  },
];

/** Serves both documents with a mock server. */
export async function startMockServer({ serve }: MockServer) {
  const [gateway, storage] = await Promise.all([
    serve(toFile('gateway.v1')),
    serve(toFile('storage.v2')),
  ]);
  const send: Send = (document, path, init) =>
    (document === 'gateway.v1' ? gateway : storage).send(path, init);
  return {
    send,
    async close() {
      await gateway.close();
      await storage.close();
    },
  };
}

/** Serves a document with Prism's mock, on a free port. */
export async function servePrism(file: string): Promise<Served> {
  const bin = join(findManifest('@stoplight/prism-cli', import.meta.url), '../dist/index.js');
  const child = spawn(process.execPath, [bin, 'mock', file, '--port', '0']);
  for await (const line of createInterface(child.stdout)) {
    const [, url] = /listening on (http:\S+)/.exec(line) ?? [];
    if (url === undefined) continue;
    child.stdout.resume();
    return {
      send: (path, init) => fetch(url + path, init),
      async close() {
        child.kill();
        await once(child, 'exit');
      },
    };
  }
  throw new Error('Prism did not start.');
}

/** Serves a document with Scalar's mock server, which is installed first. */
export async function serveScalar(file: string): Promise<Served> {
  const folder = await installTool('scalar', SCALAR);
  const manifest = findManifest('@scalar/mock-server', join(folder, 'package.json'));
  const { createMockServer } = await import(
    /* @vite-ignore */ pathToFileURL(join(manifest, '../dist/index.js')).href
  );
  const app = await createMockServer({ document: readFileSync(file, 'utf8') });
  return {
    send: async (path, init) => app.request(`http://localhost${path}`, init),
    close() {},
  };
}

const CREDENTIALS = {
  Authorization: 'Bearer any',
  'X-Svc-Authorization': 'any',
  'X-Svc-SessionToken': 'any',
  'X-Svc-TimeStamp': '1',
};

type Envelope = { body: { data?: { fileList: [{ tempFileURL: string }] } } };

/** Checks the response of a mock server to a call. Throws if it is wrong. */
async function checkMockServer(
  call: CallId,
  send: Send,
  more: Readonly<Record<string, string>> = {},
): Promise<void> {
  const headers = { ...CREDENTIALS, ...more };
  const get = (path: string, accept?: string) =>
    send('gateway.v1', path, { headers: { ...headers, ...(accept && { Accept: accept }) } });
  const post = (document: DocumentName, path: string, body: object) =>
    send(document, path, {
      method: 'POST',
      headers: { ...headers, 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    });
  const store = async (operation: string, body: object) => {
    const response = await post('storage.v2', `/api/v2/envs/dev/storages:${operation}`, body);
    expectType(response, 200, 'application/json');
    const { data } = ((await response.json()) as Envelope).body;
    if (!data) throw new Error('The body has no data.');
    return data;
  };
  const checks: Record<CallId, () => Promise<unknown>> = {
    get: async () => expectType(await get('/v1/cloudrun/hello'), 200, 'application/json'),
    post: async () =>
      expectType(await post('gateway.v1', '/v1/cloudrun/hello', {}), 200, 'application/json'),
    getPath: async () =>
      expectType(await get('/v1/cloudrun/hello/a/b?x=1&x=2'), 200, 'application/json'),
    postPath: async () =>
      expectType(
        await post('gateway.v1', '/v1/cloudrun/hello/a/b?x=1&x=2', {}),
        200,
        'application/json',
      ),
    text: async () => expectType(await get('/v1/cloudrun/hello', 'text/plain'), 200, 'text/plain'),
    async error() {
      const response = await get('/v1/cloudrun/hello');
      const { code } = (await response.json()) as { code?: string };
      if (code !== 'SERVICE_NOT_FOUND') throw new Error(`The code is ${code}.`);
    },
    events: async () =>
      expectType(await get('/v1/cloudrun/hello', 'text/event-stream'), 200, 'text/event-stream'),
    getUploadMetaData: () => store('getUploadMetaData', { path: 'a.txt' }),
    async upload() {
      const form = new FormData();
      for (const name of ['Signature', 'x-store-security-token', 'x-store-meta-fileid', 'key']) {
        form.set(name, 'any');
      }
      form.set('file', new Blob(['Hello']), 'a.txt');
      const { ok, status } = await send('storage.v2', '/', { method: 'POST', body: form });
      if (!ok) throw new Error(`The status is ${status}.`);
    },
    async batchGetTempUrls() {
      const { fileList } = await store('batchGetTempUrls', { fileList: [{ fileID: 'any' }] });
      const { hostname } = new URL(fileList[0].tempFileURL);
      if (hostname.endsWith('.example')) throw new Error(`${hostname} has no files.`);
    },
    batchCopyFile: () =>
      store('batchCopyFile', { fileList: [{ srcPath: '/a.txt', dstPath: '/b.txt' }] }),
    batchDelete: () => store('batchDelete', { fileList: ['any'] }),
  };
  await checks[call]();
}

function expectType(response: Response, status: number, type: string): void {
  const received = response.headers.get('Content-Type')?.split(';')[0];
  if (response.status === status && received === type) return;
  throw new Error(`${response.status} ${received} instead of ${status} ${type}`);
}

/** Calls a mock server without additional headers, and then with the header that the call needs. */
export async function runMockServer(
  call: CallId,
  send: Send,
  { settings }: MockServer,
): Promise<'works' | 'setting' | 'no'> {
  const works = (headers?: Readonly<Record<string, string>>) =>
    checkMockServer(call, send, headers).then(
      () => true,
      () => false,
    );
  if (await works()) return 'works';
  const setting = settings.find(({ calls }) => calls.includes(call));
  return setting && (await works(setting.headers)) ? 'setting' : 'no';
}
