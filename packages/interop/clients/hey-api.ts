import { createClient, createConfig } from '../generated/hey-api/gateway.v1/client/index.ts';
import * as gateway from '../generated/hey-api/gateway.v1/sdk.gen.ts';
import { createClient as createStorage } from '../generated/hey-api/storage.v2/client/index.ts';
import * as storage from '../generated/hey-api/storage.v2/sdk.gen.ts';
import type { CreateClient } from '../src/calls.ts';

export const create: CreateClient = (target, isConfigured) => {
  const client = createClient(createConfig({ baseUrl: target.gatewayUrl, auth: target.token }));
  const files = createStorage({ baseUrl: target.storageUrl, headers: target.storageHeaders });
  const ofEnv = { client: files, path: { envId: target.env } };
  if (isConfigured) {
    // #region path
    client.interceptors.request.use((request, { path }) => {
      const anyPath = String(path?.anyPath ?? '');
      return new Request(request.url.replace(encodeURIComponent(anyPath), anyPath), request);
    });
    // #endregion
  }
  const events = async () => {
    // #region events
    const { stream } = await client.sse.get({
      url: '/v1/cloudrun/{name}/{anyPath}',
      path: { name: 'hello', anyPath: 'events' },
      security: [{ scheme: 'bearer', type: 'http' }],
    });
    // #endregion
    return { data: stream };
  };
  return {
    get: (anyPath, name = 'hello') =>
      anyPath
        ? gateway.cloudrunGet({ client, path: { name, anyPath } })
        : gateway.cloudrunGetRoot({ client, path: { name } }),
    post: (anyPath, body) =>
      anyPath
        ? gateway.cloudrunPost({ client, path: { name: 'hello', anyPath }, body })
        : gateway.cloudrunPostRoot({ client, path: { name: 'hello' }, body }),
    ...(isConfigured && { events }),
    getUploadMetaData: (path) => storage.getUploadMetaData({ ...ofEnv, body: { path } }),
    async upload(url, form) {
      if (!isConfigured) return storage.uploadFile({ baseUrl: url, body: form });
      // #region upload
      const uploaded = await storage.uploadFile({
        baseUrl: url,
        body: form,
        fetch: (request) => fetch(new Request(url, request as Request)),
      });
      // #endregion
      return uploaded;
    },
    batchGetTempUrls: (fileList) => storage.batchGetTempUrls({ ...ofEnv, body: { fileList } }),
    batchDelete: (fileList) => storage.batchDelete({ ...ofEnv, body: { fileList } }),
    batchCopyFile: (fileList) => storage.batchCopyFile({ ...ofEnv, body: { fileList } }),
  };
};
