import createClient from 'openapi-fetch';
import type { paths as Gateway } from '../generated/openapi-fetch/gateway.v1.ts';
import type { paths as Storage } from '../generated/openapi-fetch/storage.v2.ts';
import type { Client, CreateClient } from '../src/calls.ts';

// #region path
const pathSerializer = (template: string, params: Record<string, unknown>) =>
  template.replace(/\{(\w+)\}/g, (_, name) =>
    name === 'anyPath' ? String(params[name]) : encodeURIComponent(String(params[name])),
  );
// const gateway = createClient<paths>({ baseUrl, headers, pathSerializer });
// #endregion

export const create: CreateClient = (target, isConfigured) => {
  const gateway = createClient<Gateway>({
    baseUrl: target.gatewayUrl,
    headers: { Authorization: `Bearer ${target.token}` },
    ...(isConfigured && { pathSerializer }),
  });
  const storage = createClient<Storage>({
    baseUrl: target.storageUrl,
    headers: target.storageHeaders,
  });
  const params = { path: { envId: target.env } };
  const at = (anyPath: string, name = 'hello') => ({ params: { path: { name, anyPath } } });
  const root = (name = 'hello') => ({ params: { path: { name } } });
  const configured: Pick<Client, 'text' | 'events'> = {
    async text() {
      // #region text
      const { data } = await gateway.GET('/v1/cloudrun/{name}/{anyPath}', {
        params: { path: { name: 'hello', anyPath: 'text' } },
        parseAs: 'text',
      });
      // #endregion
      return { data };
    },
    async events() {
      // #region events
      const { data } = await gateway.GET('/v1/cloudrun/{name}/{anyPath}', {
        params: { path: { name: 'hello', anyPath: 'events' } },
        headers: { Accept: 'text/event-stream' },
        parseAs: 'stream',
      });
      // #endregion
      return { data };
    },
  };
  return {
    get: (path, name) =>
      path
        ? gateway.GET('/v1/cloudrun/{name}/{anyPath}', at(path, name))
        : gateway.GET('/v1/cloudrun/{name}', root(name)),
    post: (path, body) =>
      path
        ? gateway.POST('/v1/cloudrun/{name}/{anyPath}', { ...at(path), body })
        : gateway.POST('/v1/cloudrun/{name}', { ...root(), body }),
    ...(isConfigured && configured),
    getUploadMetaData: (path) =>
      storage.POST('/api/v2/envs/{envId}/storages:getUploadMetaData', { params, body: { path } }),
    async upload(url, { file, ...fields }) {
      if (!isConfigured)
        return storage.POST('/', { baseUrl: url, body: { ...fields, file: file as never } });
      // #region upload
      const uploaded = await storage.POST('/', {
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
      return uploaded;
    },
    batchGetTempUrls: (fileList) =>
      storage.POST('/api/v2/envs/{envId}/storages:batchGetTempUrls', {
        params,
        body: { fileList },
      }),
    batchDelete: (fileList) =>
      storage.POST('/api/v2/envs/{envId}/storages:batchDelete', { params, body: { fileList } }),
    batchCopyFile: (fileList) =>
      storage.POST('/api/v2/envs/{envId}/storages:batchCopyFile', { params, body: { fileList } }),
  };
};
