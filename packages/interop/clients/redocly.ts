import * as gateway from '../generated/redocly/gateway.v1.ts';
import * as storage from '../generated/redocly/storage.v2.ts';
import type { CreateClient, Outcome } from '../src/calls.ts';

/** Converts the errors that the client throws. */
async function toOutcome(call: Promise<unknown>): Promise<Outcome> {
  try {
    return { data: await call };
  } catch (error) {
    const { body, status } = Object(error);
    if (status === undefined) throw error;
    return { error: body ?? '', response: { status } };
  }
}

const createStorage = (config: object) =>
  storage.createClient<
    storage.Ops,
    storage.OperationId,
    storage.OperationPath,
    storage.OperationTag
  >(storage.OPERATIONS, config);

export const create: CreateClient = (target, isConfigured) => {
  // #region path
  const onRequest = (request: { url: string }) => {
    const [start, anyPath] = request.url.split(/(?<=^[^?]*\/v1\/cloudrun\/[^/?]+\/)/);
    if (anyPath) request.url = start + decodeURIComponent(anyPath);
  };
  // const client = createClient(OPERATIONS, { serverUrl, auth, onRequest });
  // #endregion
  const client = gateway.createClient<
    gateway.Ops,
    gateway.OperationId,
    gateway.OperationPath,
    gateway.OperationTag
  >(gateway.OPERATIONS, {
    serverUrl: target.gatewayUrl,
    auth: { bearer: target.token },
    ...(isConfigured && { onRequest }),
  });
  const files = createStorage({ serverUrl: target.storageUrl, headers: target.storageHeaders });
  const path = { envId: target.env };
  const events = async () => {
    // #region events
    const stream: unknown = await client.cloudrun_get(
      { path: { name: 'hello', anyPath: 'events' } },
      { headers: { Accept: 'text/event-stream' }, parseAs: 'stream' },
    );
    // #endregion
    return { data: stream };
  };
  return {
    get: (anyPath, name = 'hello') =>
      toOutcome(
        anyPath
          ? client.cloudrun_get({ path: { name, anyPath } })
          : client.cloudrun_get_root({ path: { name } }),
      ),
    post: (anyPath, body) =>
      toOutcome(
        anyPath
          ? client.cloudrun_post({ path: { name: 'hello', anyPath }, body })
          : client.cloudrun_post_root({ path: { name: 'hello' }, body }),
      ),
    ...(isConfigured && { events }),
    getUploadMetaData: (key) => toOutcome(files.getUploadMetaData({ path, body: { path: key } })),
    async upload(url, fields) {
      const form = new FormData();
      for (const [name, value] of Object.entries(fields)) form.append(name, value);
      if (!isConfigured)
        return toOutcome(createStorage({ serverUrl: url }).uploadFile({ body: form }));
      // #region upload
      const { uploadFile } = storage.createClient<
        storage.Ops,
        storage.OperationId,
        storage.OperationPath,
        storage.OperationTag
      >(storage.OPERATIONS, { fetch: (_, init) => fetch(url, init) });
      const uploaded = uploadFile({ body: form });
      // #endregion
      return toOutcome(uploaded);
    },
    batchGetTempUrls: (fileList) => toOutcome(files.batchGetTempUrls({ path, body: { fileList } })),
    batchDelete: (fileList) => toOutcome(files.batchDelete({ path, body: { fileList } })),
    batchCopyFile: (fileList) => toOutcome(files.batchCopyFile({ path, body: { fileList } })),
  };
};
