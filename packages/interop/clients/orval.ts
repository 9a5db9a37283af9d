import { join } from 'node:path';
import * as gateway from '../generated/orval/configured/gateway.v1.ts';
import * as storage from '../generated/orval/configured/storage.v2.ts';
import type { CreateClient, Outcome } from '../src/calls.ts';
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

interface Returned {
  data: unknown;
  status: number;
}

async function call(base: string, send: () => Promise<Returned>): Promise<Outcome> {
  setBase(base);
  Object.assign(globalThis, { apiBase: base });
  const { data, status } = await send();
  return status < 300 ? { data } : { error: data, response: { status } };
}

export const create: CreateClient = (target, isConfigured) => {
  const { env, gatewayUrl, storageUrl } = target;
  const generated = isConfigured ? withMutator : withoutMutator;
  const authorized = { headers: { Authorization: `Bearer ${target.token}` } };
  const signed = { headers: target.storageHeaders };
  return {
    get: (path, name = 'hello') =>
      call(gatewayUrl, () =>
        path
          ? generated.gateway.cloudrunGet(name, path, authorized)
          : generated.gateway.cloudrunGetRoot(name, authorized),
      ),
    post: (path, body) =>
      call(gatewayUrl, () =>
        path
          ? generated.gateway.cloudrunPost('hello', path, body, authorized)
          : generated.gateway.cloudrunPostRoot('hello', body, authorized),
      ),
    getUploadMetaData: (path) =>
      call(storageUrl, () => generated.storage.getUploadMetaData(env, { path }, signed)),
    upload: (url, form) =>
      call(storageUrl, async () => {
        if (!isConfigured) return generated.storage.uploadFile(form);
        // #region upload
        const uploaded = await storage.uploadFile(form, { to: url });
        // #endregion
        return uploaded;
      }),
    batchGetTempUrls: (fileList) =>
      call(storageUrl, () => generated.storage.batchGetTempUrls(env, { fileList }, signed)),
    batchDelete: (fileList) =>
      call(storageUrl, () => generated.storage.batchDelete(env, { fileList }, signed)),
    batchCopyFile: (fileList) =>
      call(storageUrl, () => generated.storage.batchCopyFile(env, { fileList }, signed)),
  };
};
