// The server under attack: the contract's three routers, and one with every kind of parameter and body.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { createGatewayRouter, createStorageRouter, createUploadRouter } from '@berth/server-stubs';
import { createRouter, type Handler } from '@berth/server-stubs/runtime';
import { ANY_JSON, toParameter, toTable, wants } from '../support/to-table.ts';

/** Health report of the server. */
export interface Health {
  readonly faults: readonly string[];
}

const faults: string[] = [];
const note = (kind: string) => (error: unknown) => {
  if (faults.length < 20)
    faults.push(`${kind}: ${error instanceof Error ? error.stack : String(error)}`);
};
process.on('unhandledRejection', note('unhandled rejection'));
process.on('uncaughtException', note('uncaught exception'));
process.on('warning', note('warning'));

const toItem = (fileID: string) => ({ fileID, code: 'SUCCESS' });
const storage = createStorageRouter(
  {
    batchDelete: ({ fileList }) => ({ fileList: fileList.map(toItem) }),
    batchGetTempUrls: async ({ fileList }) => ({
      fileList: fileList.map(({ fileID }) => ({ ...toItem(fileID), tempFileURL: 'http://a/b' })),
    }),
    batchCopyFile: ({ fileList }) => ({
      fileList: fileList.map(({ dstPath }) => ({ fileID: dstPath })),
    }),
    getUploadMetaData: ({ path }) => ({
      url: 'http://a/',
      token: 't',
      authorization: 'a',
      fileID: path,
      storeFileID: path,
    }),
  },
  { security: { credentials: async () => 'caller' }, onError: note('error') },
);
const upload = createUploadRouter(
  {
    async uploadFile({ file, key }) {
      await text(file);
      return { etag: 'a', location: `http://a/${encodeURIComponent(key)}` };
    },
  },
  { onError: note('error') },
);
const service = { status: 200, headers: { 'content-type': 'text/plain' }, body: 'hello' };
const gateway = createGatewayRouter(
  {
    'cloudrun-get-root': () => service,
    'cloudrun-get': () => service,
    'cloudrun-post-root': async ({ body }) => ({ ...service, body: body ? await text(body) : '' }),
    'cloudrun-post': async ({ body }) => ({ ...service, body: body ? await text(body) : '' }),
  },
  {
    security: { bearerToken: (token) => token, signature: async () => 'caller' },
    onError: note('error'),
  },
);

const IN_QUERY = { name: 'q', in: 'query' } as const;
const parameters = [
  toParameter({ name: 'id', in: 'path', types: ['integer'] }),
  toParameter({ name: 'l', in: 'path', style: 'label', shape: 'array', explode: true }),
  toParameter({ name: 'm', in: 'path', style: 'matrix', shape: 'array', explode: true }),
  toParameter({ name: 'a', in: 'path' }),
  toParameter({ name: 'b', in: 'path' }),
  toParameter({ ...IN_QUERY, name: 'limit', types: ['integer', 'null'], default: 3 }),
  toParameter({ ...IN_QUERY, name: 'tags', shape: 'array' }),
  toParameter({ ...IN_QUERY, name: 'deep', style: 'deepObject', shape: 'object' }),
  toParameter({
    ...IN_QUERY,
    name: 'pipe',
    style: 'pipeDelimited',
    explode: false,
    shape: 'array',
  }),
  toParameter({ ...IN_QUERY, name: 'json', shape: 'json' }),
  toParameter({ name: 'X-Tags', in: 'header', shape: 'array' }),
  toParameter({ name: 'theme', in: 'cookie' }),
];
const content = [
  { ...ANY_JSON, validate: wants('name', 'string') },
  { mediaType: 'application/x-www-form-urlencoded', kind: 'form' as const },
  { mediaType: 'multipart/form-data', kind: 'binary' as const },
  { mediaType: 'text/*', kind: 'text' as const },
  { mediaType: 'image/*', kind: 'binary' as const },
];
const readAll: Handler = async ({ body, contentType }) => {
  if (contentType === 'image/*' || contentType === 'multipart/form-data') await text(body);
  return { status: 200, body: {} };
};
const everything = createRouter(
  toTable([
    { path: '/pets/{id}/{l}/{m}/{a}.{b}', operationId: 'read', parameters },
    {
      path: '/everything',
      operationId: 'write',
      method: 'POST',
      body: { required: true, content },
    },
  ]),
  { read: (input) => ({ status: 200, body: { ...input } }), write: readAll },
  { requests: { bodyBytes: 50_000, streamBytes: 100_000, formFields: 50 }, onError: note('error') },
);

const server = createServer((request, response) => {
  everything(request, response, () =>
    storage(request, response, () => upload(request, response, () => gateway(request, response))),
  );
});
server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port));

process.on('message', () => {
  process.send?.({ faults } satisfies Health);
});
