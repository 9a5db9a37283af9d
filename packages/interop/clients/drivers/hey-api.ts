import { createClient, createConfig } from '../../generated/hey-api/gateway.v1/client/index.ts';
import * as gateway from '../../generated/hey-api/gateway.v1/sdk.gen.ts';
import { createClient as createStorage } from '../../generated/hey-api/storage.v2/client/index.ts';
import * as storage from '../../generated/hey-api/storage.v2/sdk.gen.ts';
import { drive, readTarget } from './drive.ts';

const target = await readTarget();

const client = createClient(createConfig({ baseUrl: target.gateway, auth: target.token }));
const files = createStorage({ baseUrl: target.storage, headers: target.storageHeaders });
const env = { client: files, path: { envId: target.env } };
const root = { client, path: { name: 'hello' } };
const at = (anyPath: string) => ({ client, path: { name: 'hello', anyPath } });

// As on the page of generators: `anyPath` is sent unchanged.
client.interceptors.request.use((request, { path }) => {
  const anyPath = String(path?.anyPath ?? '');
  return new Request(request.url.replace(encodeURIComponent(anyPath), anyPath), request);
});

await drive({
  get: (path) => (path ? gateway.cloudrunGet(at(path)) : gateway.cloudrunGetRoot(root)),
  post: (path, body) =>
    path
      ? gateway.cloudrunPost({ ...at(path), body })
      : gateway.cloudrunPostRoot({ ...root, body }),
  getUploadMetaData: (path) => storage.getUploadMetaData({ ...env, body: { path } }),
  upload: (url, body) =>
    storage.uploadFile({
      baseUrl: url,
      body,
      fetch: (request) => fetch(new Request(url, request as Request)),
    }),
  batchGetTempUrls: (fileList) => storage.batchGetTempUrls({ ...env, body: { fileList } }),
  batchDelete: (fileList) => storage.batchDelete({ ...env, body: { fileList } }),
  batchCopyFile: (fileList) => storage.batchCopyFile({ ...env, body: { fileList } }),
});
