import { join } from 'node:path';
import * as gateway from '../generated/orval/configured/gateway.v1.ts';
import * as storage from '../generated/orval/configured/storage.v2.ts';
import type { Calls, Client, Target, Upload } from '../src/calls.ts';
import { setBase } from './orval-fetch.ts';

const withMutator = { gateway, storage };

/** Loaded at run time, because the code for XML errors does not compile in strict mode. */
const withoutMutator: typeof withMutator = {
  gateway: await load('gateway.v1'),
  storage: await load('storage.v2'),
};

function load(name: string) {
  const file = join(import.meta.dirname, `../generated/orval/plain/${name}.ts`);
  return import(/* @vite-ignore */ file);
}

function createCalls(
  { url, env, token, storageHeaders }: Target,
  { gateway, storage }: typeof withMutator,
): Calls {
  setBase(url);
  Object.assign(globalThis, { apiBase: url });
  const call = { headers: { Authorization: `Bearer ${token}` } };
  const signed = { headers: storageHeaders };
  return {
    get: async () => (await gateway.cloudrunGetRoot('hello', call)).data,
    post: async (body) => (await gateway.cloudrunPostRoot('hello', body, call)).data,
    getPath: async (anyPath) => (await gateway.cloudrunGet('hello', anyPath, call)).data,
    postPath: async (anyPath, body) =>
      (await gateway.cloudrunPost('hello', anyPath, body, call)).data,
    text: async () => (await gateway.cloudrunGet('hello', 'text', call)).data,
    error: async () => {
      const response = await gateway.cloudrunGetRoot('missing', call);
      return response.status === 404 ? response.data.code : undefined;
    },
    events: async () => (await gateway.cloudrunGet('hello', 'events', call)).data as never,
    getUploadMetaData: async (path) => {
      const { data } = await storage.getUploadMetaData(env, { path }, signed);
      return 'data' in data.body ? (data.body.data as never) : undefined;
    },
    upload: ({ to, key, file }) => storage.uploadFile({ ...toFields(to), key, file }),
    batchGetTempUrls: async (fileID) => {
      const response = await storage.batchGetTempUrls(env, { fileList: [{ fileID }] }, signed);
      return response.status === 200
        ? response.data.body.data?.fileList[0]?.tempFileURL
        : undefined;
    },
    batchCopyFile: (srcPath, dstPath) =>
      storage.batchCopyFile(env, { fileList: [{ srcPath, dstPath }] }, signed),
    batchDelete: (fileID) => storage.batchDelete(env, { fileList: [fileID] }, signed),
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
  plain: (target) => createCalls(target, withoutMutator),
  configured(target) {
    const calls = createCalls(target, withMutator);
    return {
      text: calls.text,
      events: calls.events,
      async upload({ to, key, file }) {
        const fields = { ...toFields(to), key };
        // #region upload
        await storage.uploadFile({ ...fields, file }, { to: to.url });
        // #endregion
      },
    };
  },
};
