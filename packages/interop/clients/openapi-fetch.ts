import createClient from 'openapi-fetch';
import type { paths as Gateway } from '../generated/openapi-fetch/gateway.v1.ts';
import type { paths as Storage } from '../generated/openapi-fetch/storage.v2.ts';
import type { Calls, Client, Target } from '../src/calls.ts';

function createCalls(
  { url, env, token, storageHeaders }: Target,
  options: Parameters<typeof createClient>[0] = {},
) {
  const headers = { Authorization: `Bearer ${token}` };
  const gateway = createClient<Gateway>({ baseUrl: url, headers, ...options });
  const storage = createClient<Storage>({ baseUrl: url, headers: storageHeaders });
  const root = { params: { path: { name: 'hello' } } };
  const at = (anyPath: string) => ({ params: { path: { name: 'hello', anyPath } } });
  const params = { path: { envId: env } };
  const calls: Calls = {
    get: async () => (await gateway.GET('/v1/cloudrun/{name}', root)).data,
    post: async (body) => (await gateway.POST('/v1/cloudrun/{name}', { ...root, body })).data,
    getPath: async (anyPath) =>
      (await gateway.GET('/v1/cloudrun/{name}/{anyPath}', at(anyPath))).data,
    postPath: async (anyPath, body) =>
      (await gateway.POST('/v1/cloudrun/{name}/{anyPath}', { ...at(anyPath), body })).data,
    text: async () => (await gateway.GET('/v1/cloudrun/{name}/{anyPath}', at('text'))).data,
    error: async () => {
      const missing = { params: { path: { name: 'missing' } } };
      return (await gateway.GET('/v1/cloudrun/{name}', missing)).error?.code;
    },
    events: async () =>
      (await gateway.GET('/v1/cloudrun/{name}/{anyPath}', at('events'))).data as never,
    getUploadMetaData: async (path) => {
      const call = '/api/v2/envs/{envId}/storages:getUploadMetaData';
      return (await storage.POST(call, { params, body: { path } })).data?.body.data;
    },
    upload: async ({ to, key, file }) => {
      const body = { ...toFields(to), key, file: file as never };
      return storage.POST('/', { baseUrl: to.url, body });
    },
    batchGetTempUrls: async (fileID) => {
      const call = '/api/v2/envs/{envId}/storages:batchGetTempUrls';
      const { data } = await storage.POST(call, { params, body: { fileList: [{ fileID }] } });
      return data?.body.data?.fileList[0]?.tempFileURL;
    },
    batchCopyFile: async (srcPath, dstPath) => {
      const body = { fileList: [{ srcPath, dstPath }] };
      return storage.POST('/api/v2/envs/{envId}/storages:batchCopyFile', { params, body });
    },
    batchDelete: async (fileID) =>
      storage.POST('/api/v2/envs/{envId}/storages:batchDelete', {
        params,
        body: { fileList: [fileID] },
      }),
  };
  return { gateway, storage, calls };
}

function toFields(to: Parameters<Calls['upload']>[0]['to']) {
  return {
    Signature: to.authorization,
    'x-store-security-token': to.token,
    'x-store-meta-fileid': to.storeFileID,
  };
}

// #region path
const pathSerializer = (template: string, params: Record<string, unknown>) =>
  template.replace(/\{(\w+)\}/g, (_, name) =>
    name === 'anyPath' ? String(params[name]) : encodeURIComponent(String(params[name])),
  );
// const gateway = createClient<paths>({ baseUrl, headers, pathSerializer });
// #endregion

export const { plain, configured }: Client = {
  plain: (target) => createCalls(target).calls,
  configured(target) {
    const { gateway, storage, calls } = createCalls(target, { pathSerializer });
    return {
      getPath: calls.getPath,
      postPath: calls.postPath,
      async text() {
        // #region text
        const { data } = await gateway.GET('/v1/cloudrun/{name}/{anyPath}', {
          params: { path: { name: 'hello', anyPath: 'text' } },
          parseAs: 'text',
        });
        // #endregion
        return data;
      },
      async events() {
        // #region events
        const { data } = await gateway.GET('/v1/cloudrun/{name}/{anyPath}', {
          params: { path: { name: 'hello', anyPath: 'events' } },
          headers: { Accept: 'text/event-stream' },
          parseAs: 'stream',
        });
        // #endregion
        return data as unknown as AsyncIterable<unknown>;
      },
      async upload({ to, key, file }) {
        const { url } = to;
        const fields = { ...toFields(to), key };
        // #region upload
        await storage.POST('/', {
          body: { ...fields, file: '' },
          bodySerializer(body) {
            const form = new FormData();
            for (const [name, value] of Object.entries(body)) form.set(name, String(value));
            form.set('file', file);
            return form;
          },
          // Only the form: the headers of the request contain the storage credentials.
          fetch: async (request) => fetch(url, { method: 'POST', body: await request.formData() }),
        });
        // #endregion
      },
    };
  },
};
