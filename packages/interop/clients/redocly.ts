import * as gateway from '../generated/redocly/gateway.v1.ts';
import * as storage from '../generated/redocly/storage.v2.ts';
import type { Calls, Client, Target, Upload } from '../src/calls.ts';

type GatewayConfig = Parameters<
  typeof gateway.createClient<
    gateway.Ops,
    gateway.OperationId,
    gateway.OperationPath,
    gateway.OperationTag
  >
>[1];

function createCalls({ url, env, token, storageHeaders }: Target, more: GatewayConfig = {}) {
  const client = gateway.createClient<
    gateway.Ops,
    gateway.OperationId,
    gateway.OperationPath,
    gateway.OperationTag
  >(gateway.OPERATIONS, { serverUrl: url, auth: { bearer: token }, ...more });
  const createStorage = (config: { serverUrl: string; fetch?: typeof fetch }) =>
    storage.createClient<
      storage.Ops,
      storage.OperationId,
      storage.OperationPath,
      storage.OperationTag
    >(storage.OPERATIONS, { headers: storageHeaders, ...config });
  const files = createStorage({ serverUrl: url });
  const path = { envId: env };
  const calls: Calls = {
    get: () => client.cloudrun_get_root({ path: { name: 'hello' } }),
    post: (body) => client.cloudrun_post_root({ path: { name: 'hello' }, body }),
    getPath: (anyPath) => client.cloudrun_get({ path: { name: 'hello', anyPath } }),
    postPath: (anyPath, body) => client.cloudrun_post({ path: { name: 'hello', anyPath }, body }),
    text: () => client.cloudrun_get({ path: { name: 'hello', anyPath: 'text' } }),
    error: async () => {
      const call = client.cloudrun_get_root({ path: { name: 'missing' } });
      const error: unknown = await call.catch((reason) => reason);
      return error instanceof gateway.ApiError ? (error.body as { code: string }).code : undefined;
    },
    events: async () =>
      (await client.cloudrun_get({ path: { name: 'hello', anyPath: 'events' } })) as never,
    getUploadMetaData: async (key) =>
      (await files.getUploadMetaData({ path, body: { path: key } })).body.data,
    upload: (upload) =>
      createStorage({ serverUrl: upload.to.url }).uploadFile({ body: toForm(upload) }),
    batchGetTempUrls: async (fileID) =>
      (await files.batchGetTempUrls({ path, body: { fileList: [{ fileID }] } })).body.data
        ?.fileList[0]?.tempFileURL,
    batchCopyFile: (srcPath, dstPath) =>
      files.batchCopyFile({ path, body: { fileList: [{ srcPath, dstPath }] } }),
    batchDelete: (fileID) => files.batchDelete({ path, body: { fileList: [fileID] } }),
  };
  return { client, calls };
}

function toForm({ to, key, file }: Upload): FormData {
  // #region form
  const form = new FormData();
  form.set('Signature', to.authorization);
  form.set('x-store-security-token', to.token);
  form.set('x-store-meta-fileid', to.storeFileID);
  form.set('key', key);
  form.set('file', file);
  // #endregion
  return form;
}

export const { plain, configured }: Client = {
  plain: (target) => createCalls(target).calls,
  configured(target) {
    // #region path
    const onRequest = (request: { url: string }) => {
      const [start, anyPath] = request.url.split(/(?<=^[^?]*\/v1\/cloudrun\/[^/?]+\/)/);
      if (anyPath) request.url = start + decodeURIComponent(anyPath);
    };
    // const client = createClient(OPERATIONS, { serverUrl, auth, onRequest });
    // #endregion
    const { client, calls } = createCalls(target, { onRequest });
    return {
      getPath: calls.getPath,
      postPath: calls.postPath,
      async events() {
        // #region events
        const stream: unknown = await client.cloudrun_get(
          { path: { name: 'hello', anyPath: 'events' } },
          { headers: { Accept: 'text/event-stream' }, parseAs: 'stream' },
        );
        // #endregion
        return stream as AsyncIterable<unknown>;
      },
      async upload(upload) {
        const { url } = upload.to;
        const form = toForm(upload);
        // #region upload
        const { uploadFile } = storage.createClient<
          storage.Ops,
          storage.OperationId,
          storage.OperationPath,
          storage.OperationTag
        >(storage.OPERATIONS, { fetch: (_, init) => fetch(url, init) });
        await uploadFile({ body: form });
        // #endregion
      },
    };
  },
};
