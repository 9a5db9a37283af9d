import * as gateway from '../../generated/redocly/gateway.v1.ts';
import * as storage from '../../generated/redocly/storage.v2.ts';
import { drive, type Outcome, readTarget } from './drive.ts';

const target = await readTarget();

const client = gateway.createClient<
  gateway.Ops,
  gateway.OperationId,
  gateway.OperationPath,
  gateway.OperationTag
>(gateway.OPERATIONS, {
  serverUrl: target.gateway,
  auth: { bearer: target.token },
  // As on the page of generators: `anyPath` is sent unchanged.
  onRequest(request: { url: string }) {
    const [start, anyPath] = request.url.split(/(?<=^[^?]*\/v1\/cloudrun\/[^/?]+\/)/);
    if (anyPath) request.url = start + decodeURIComponent(anyPath);
  },
});
type StorageConfig = { serverUrl?: string; fetch?: typeof fetch };
const createStorage = (config: StorageConfig) =>
  storage.createClient<
    storage.Ops,
    storage.OperationId,
    storage.OperationPath,
    storage.OperationTag
  >(storage.OPERATIONS, { headers: target.storageHeaders, ...config });
const files = createStorage({ serverUrl: target.storage });
const path = { envId: target.env };
const name = 'hello';

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

await drive({
  get: (anyPath) =>
    toOutcome(
      anyPath
        ? client.cloudrun_get({ path: { name, anyPath } })
        : client.cloudrun_get_root({ path: { name } }),
    ),
  post: (anyPath, body) =>
    toOutcome(
      anyPath
        ? client.cloudrun_post({ path: { name, anyPath }, body })
        : client.cloudrun_post_root({ path: { name }, body }),
    ),
  getUploadMetaData: (key) => toOutcome(files.getUploadMetaData({ path, body: { path: key } })),
  upload(url, fields) {
    const form = new FormData();
    for (const [field, value] of Object.entries(fields)) form.append(field, value);
    const { uploadFile } = storage.createClient<
      storage.Ops,
      storage.OperationId,
      storage.OperationPath,
      storage.OperationTag
    >(storage.OPERATIONS, { fetch: (_, init) => fetch(url, init) });
    return toOutcome(uploadFile({ body: form }));
  },
  batchGetTempUrls: (fileList) => toOutcome(files.batchGetTempUrls({ path, body: { fileList } })),
  batchDelete: (fileList) => toOutcome(files.batchDelete({ path, body: { fileList } })),
  batchCopyFile: (fileList) => toOutcome(files.batchCopyFile({ path, body: { fileList } })),
});
