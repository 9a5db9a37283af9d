import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { startCommand } from '@berth/runtimes/run-command';
import type { CallId } from './checks.ts';
import { type DocumentName, findManifest, installTool, toFile } from './tools.ts';

/** A document that a tool serves. */
interface Served {
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
async function servePrism(file: string): Promise<Served> {
  const bin = join(findManifest('@stoplight/prism-cli'), '../dist/index.js');
  const command = [process.execPath, bin, 'mock', file, '--port', '0'];
  const place = { folder: import.meta.dirname, env: process.env as Record<string, string> };
  const { found, stop } = await startCommand(place, command, /listening on (http:\S+)\s/);
  return {
    send: (path, init) => fetch(found + path, init),
    async close() {
      await stop();
    },
  };
}

/** Serves a document with Scalar's mock server, which is installed first. */
async function serveScalar(file: string): Promise<Served> {
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

const HELLO = '/v1/cloudrun/hello';
const STORAGES = '/api/v2/envs/dev/storages';

/** A request to a mock server. */
interface MockCall {
  readonly path: string;
  /** Sent by POST, as JSON unless it is a form. */
  readonly body?: object;
  readonly accept?: string;
  /** Judges the body of the response. Default: its status must be 200, and its media type the accepted one, or JSON */
  isRight?(body: Body): boolean;
}

type Body = { code?: string; body?: { data?: { fileList: [{ tempFileURL: string }] } } };

const hasData = ({ body }: Body) => body?.data !== undefined;

const FORM = new FormData();
for (const name of ['Signature', 'x-store-security-token', 'x-store-meta-fileid', 'key']) {
  FORM.set(name, 'any');
}
FORM.set('file', new Blob(['Hello']), 'a.txt');

const CALLS: Readonly<Record<CallId, MockCall>> = {
  get: { path: HELLO },
  post: { path: HELLO, body: {} },
  getPath: { path: `${HELLO}/a/b?x=1&x=2` },
  postPath: { path: `${HELLO}/a/b?x=1&x=2`, body: {} },
  text: { path: HELLO, accept: 'text/plain' },
  error: { path: HELLO, isRight: ({ code }) => code === 'SERVICE_NOT_FOUND' },
  events: { path: HELLO, accept: 'text/event-stream' },
  getUploadMetaData: {
    path: `${STORAGES}:getUploadMetaData`,
    body: { path: 'a.txt' },
    isRight: hasData,
  },
  upload: { path: '/', body: FORM },
  batchGetTempUrls: {
    path: `${STORAGES}:batchGetTempUrls`,
    body: { fileList: [{ fileID: 'any' }] },
    isRight: ({ body }) =>
      !new URL(body?.data?.fileList[0].tempFileURL ?? '').hostname.endsWith('.example'),
  },
  batchCopyFile: {
    path: `${STORAGES}:batchCopyFile`,
    body: { fileList: [{ srcPath: '/a.txt', dstPath: '/b.txt' }] },
    isRight: hasData,
  },
  batchDelete: {
    path: `${STORAGES}:batchDelete`,
    body: { fileList: ['any'] },
    isRight: hasData,
  },
};

async function isServed(
  call: CallId,
  send: Send,
  more: Readonly<Record<string, string>> = {},
): Promise<boolean> {
  const { path, body, accept, isRight } = CALLS[call];
  if (body === FORM) return (await send('storage.v2', path, { method: 'POST', body: FORM })).ok;
  const response = await send(path.startsWith(HELLO) ? 'gateway.v1' : 'storage.v2', path, {
    headers: {
      ...{ ...CREDENTIALS, ...more },
      ...(accept && { Accept: accept }),
      ...(body && { 'Content-Type': 'application/json' }),
    },
    ...(body && { method: 'POST', body: JSON.stringify(body) }),
  });
  if (isRight) return isRight((await response.json()) as Body);
  const type = response.headers.get('Content-Type')?.split(';')[0];
  return response.status === 200 && type === (accept ?? 'application/json');
}

/** Calls a mock server without additional headers, and then with the header that the call needs. */
export async function runMockServer(
  call: CallId,
  send: Send,
  { settings }: MockServer,
): Promise<'works' | 'setting' | 'no'> {
  const works = (headers?: Readonly<Record<string, string>>) =>
    isServed(call, send, headers).catch(() => false);
  if (await works()) return 'works';
  const setting = settings.find(({ calls }) => calls.includes(call));
  return setting && (await works(setting.headers)) ? 'setting' : 'no';
}
