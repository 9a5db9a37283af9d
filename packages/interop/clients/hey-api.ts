import { createClient, createConfig } from '../generated/hey-api/gateway.v1/client/index.ts';
import * as gateway from '../generated/hey-api/gateway.v1/sdk.gen.ts';
import { createClient as createStorage } from '../generated/hey-api/storage.v2/client/index.ts';
import * as storage from '../generated/hey-api/storage.v2/sdk.gen.ts';
import type { Calls, Client, Target } from '../src/calls.ts';

function createCalls({ url, env, token, storageHeaders }: Target) {
  const client = createClient(createConfig({ baseUrl: url, auth: token }));
  const files = createStorage({ baseUrl: url, headers: storageHeaders });
  const path = { envId: env };
  const calls: Calls = {
    get: async () => (await gateway.cloudrunGetRoot({ client, path: { name: 'hello' } })).data,
    post: async (body) =>
      (await gateway.cloudrunPostRoot({ client, path: { name: 'hello' }, body })).data,
    getPath: async (anyPath) =>
      (await gateway.cloudrunGet({ client, path: { name: 'hello', anyPath } })).data,
    postPath: async (anyPath, body) =>
      (await gateway.cloudrunPost({ client, path: { name: 'hello', anyPath }, body })).data,
    text: async () =>
      (await gateway.cloudrunGet({ client, path: { name: 'hello', anyPath: 'text' } })).data,
    error: async () =>
      (await gateway.cloudrunGetRoot({ client, path: { name: 'missing' } })).error?.code,
    events: async () => {
      const at = { name: 'hello', anyPath: 'events' };
      const { data } = await gateway.cloudrunGet({ client, path: at });
      return data as never;
    },
    getUploadMetaData: async (key) =>
      (await storage.getUploadMetaData({ client: files, path, body: { path: key } })).data?.body
        .data,
    upload: async ({ to, key, file }) => {
      const form = {
        Signature: to.authorization,
        'x-store-security-token': to.token,
        'x-store-meta-fileid': to.storeFileID,
        ...{ key, file },
      };
      return storage.uploadFile({ baseUrl: to.url, body: form, throwOnError: true });
    },
    batchGetTempUrls: async (fileID) => {
      const body = { fileList: [{ fileID }] };
      const { data } = await storage.batchGetTempUrls({ client: files, path, body });
      return data?.body.data?.fileList[0]?.tempFileURL;
    },
    batchCopyFile: async (srcPath, dstPath) => {
      const body = { fileList: [{ srcPath, dstPath }] };
      return (await storage.batchCopyFile({ client: files, path, body })).data;
    },
    batchDelete: async (fileID) =>
      (await storage.batchDelete({ client: files, path, body: { fileList: [fileID] } })).data,
  };
  return { client, calls };
}

export const { plain, configured }: Client = {
  plain: (target) => createCalls(target).calls,
  configured(target) {
    const { client, calls } = createCalls(target);
    // #region path
    client.interceptors.request.use((request, { path }) => {
      const anyPath = String(path?.anyPath ?? '');
      return new Request(request.url.replace(encodeURIComponent(anyPath), anyPath), request);
    });
    // #endregion
    return {
      getPath: calls.getPath,
      postPath: calls.postPath,
      async events() {
        // #region events
        const { stream } = await client.sse.get({
          url: '/v1/cloudrun/{name}/{anyPath}',
          path: { name: 'hello', anyPath: 'events' },
          security: [{ scheme: 'bearer', type: 'http' }],
        });
        // #endregion
        return stream as AsyncIterable<unknown>;
      },
      async upload({ to, key, file }) {
        const { url } = to;
        const form = {
          Signature: to.authorization,
          'x-store-security-token': to.token,
          'x-store-meta-fileid': to.storeFileID,
          ...{ key, file },
        };
        // #region upload
        await storage.uploadFile({
          baseUrl: url,
          body: form,
          fetch: (request) => fetch(new Request(url, request as Request)),
          throwOnError: true,
        });
        // #endregion
      },
    };
  },
};
