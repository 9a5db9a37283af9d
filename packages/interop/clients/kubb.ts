import { type Client as Fetch, setConfig } from '../generated/kubb/gateway.v1/.kubb/fetch.ts';
import * as gateway from '../generated/kubb/gateway.v1/index.ts';
import { setConfig as setStorageConfig } from '../generated/kubb/storage.v2/.kubb/fetch.ts';
import * as storage from '../generated/kubb/storage.v2/index.ts';
import type { Calls, Client, Target, Upload } from '../src/calls.ts';

/** @param more the configuration of each call */
function createCalls({ url, env, token, storageHeaders }: Target, more: object = {}): Calls {
  setConfig({ baseURL: url, headers: { Authorization: `Bearer ${token}` } });
  setStorageConfig({ baseURL: url, headers: storageHeaders });
  return {
    get: () => gateway.cloudrunGetRoot('hello'),
    post: (body) => gateway.cloudrunPostRoot('hello', body, more),
    getPath: (anyPath) => gateway.cloudrunGet('hello', anyPath),
    postPath: (anyPath, body) => gateway.cloudrunPost('hello', anyPath, body),
    text: () => gateway.cloudrunGet('hello', 'text', undefined, more),
    error: async () => (await gateway.cloudrunGetRoot('missing')).code,
    events: async () => (await gateway.cloudrunGet('hello', 'events', undefined, more)) as never,
    getUploadMetaData: async (path) =>
      (await storage.getUploadMetaData(env, { path }, more)).body.data,
    upload: ({ to, key, file }) =>
      storage.uploadFile({ ...toFields(to), key, file }, { baseURL: to.url }),
    batchGetTempUrls: async (fileID) =>
      (await storage.batchGetTempUrls(env, { fileList: [{ fileID }] }, more)).body.data?.fileList[0]
        ?.tempFileURL,
    batchCopyFile: (srcPath, dstPath) =>
      storage.batchCopyFile(env, { fileList: [{ srcPath, dstPath }] }, more),
    batchDelete: (fileID) => storage.batchDelete(env, { fileList: [fileID] }, more),
  };
}

function toFields(to: Upload['to']) {
  return {
    Signature: to.authorization,
    'x-store-security-token': to.token,
    'x-store-meta-fileid': to.storeFileID,
  };
}

export const { plain, configured }: Client = {
  plain: (target) => createCalls(target),
  configured(target) {
    // #region json
    const json = { headers: { 'Content-Type': 'application/json' } };
    // await cloudrunPostRoot('hello', { name: 'Ada' }, json);
    // #endregion
    const { post, getUploadMetaData, batchGetTempUrls, batchCopyFile, batchDelete } = createCalls(
      target,
      json,
    );
    // #region client
    const client: Fetch = async <T>({
      baseURL = target.url,
      url,
      ...init
    }: Parameters<Fetch>[0]) => {
      const headers = { Authorization: `Bearer ${target.token}`, ...init.headers };
      const response = await fetch(baseURL + url, { method: init.method ?? 'GET', headers });
      const type = response.headers.get('Content-Type') ?? '';
      const data = type.startsWith('text/event-stream')
        ? response.body
        : type.includes('json')
          ? await response.json()
          : await response.text();
      const { status, statusText } = response;
      return { data: data as T, status, statusText, headers: response.headers };
    };
    // await cloudrunGet('hello', 'text', undefined, { client });
    // #endregion
    const { text, events } = createCalls(target, { client });
    return {
      ...{ post, getUploadMetaData, batchGetTempUrls, batchCopyFile, batchDelete, text, events },
      async upload({ to, key, file }) {
        const fields = { ...toFields(to), key };
        // #region upload
        await storage.uploadFile({ ...fields, file }, { baseURL: '', url: to.url });
        // #endregion
      },
    };
  },
};
