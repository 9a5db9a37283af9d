import createClient from 'openapi-fetch';
import type { paths as Gateway } from '../../generated/openapi-fetch/gateway.v1.ts';
import type { paths as Storage } from '../../generated/openapi-fetch/storage.v2.ts';
import { drive, readTarget } from './drive.ts';

const target = await readTarget();

// As on the page of generators: `anyPath` is sent unchanged.
const pathSerializer = (template: string, params: Record<string, unknown>) =>
  template.replace(/\{(\w+)\}/g, (_, name) =>
    name === 'anyPath' ? String(params[name]) : encodeURIComponent(String(params[name])),
  );
const gateway = createClient<Gateway>({
  baseUrl: target.gateway,
  headers: { Authorization: `Bearer ${target.token}` },
  pathSerializer,
});
const storage = createClient<Storage>({ baseUrl: target.storage, headers: target.storageHeaders });
const root = { params: { path: { name: 'hello' } } };
const at = (anyPath: string) => ({ params: { path: { name: 'hello', anyPath } } });
const params = { path: { envId: target.env } };

await drive({
  get: (path) =>
    path
      ? gateway.GET('/v1/cloudrun/{name}/{anyPath}', at(path))
      : gateway.GET('/v1/cloudrun/{name}', root),
  post: (path, body) =>
    path
      ? gateway.POST('/v1/cloudrun/{name}/{anyPath}', { ...at(path), body })
      : gateway.POST('/v1/cloudrun/{name}', { ...root, body }),
  getUploadMetaData: (path) =>
    storage.POST('/api/v2/envs/{envId}/storages:getUploadMetaData', { params, body: { path } }),
  upload: (url, { file, ...fields }) =>
    storage.POST('/', {
      body: { ...fields, file: '' },
      bodySerializer(body) {
        const form = new FormData();
        for (const [name, value] of Object.entries(body)) form.set(name, String(value));
        form.set('file', file);
        return form;
      },
      fetch: async (request) => fetch(url, { method: 'POST', body: await request.formData() }),
    }),
  batchGetTempUrls: (fileList) =>
    storage.POST('/api/v2/envs/{envId}/storages:batchGetTempUrls', { params, body: { fileList } }),
  batchDelete: (fileList) =>
    storage.POST('/api/v2/envs/{envId}/storages:batchDelete', { params, body: { fileList } }),
  batchCopyFile: (fileList) =>
    storage.POST('/api/v2/envs/{envId}/storages:batchCopyFile', { params, body: { fileList } }),
});
