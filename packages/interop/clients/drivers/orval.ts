import * as gateway from '../../generated/orval/configured/gateway.v1.ts';
import * as storage from '../../generated/orval/configured/storage.v2.ts';
import { setBase } from '../orval-fetch.ts';
import { drive, type Outcome, readTarget } from './drive.ts';

const target = await readTarget();
const { env } = target;
const signed = { headers: target.storageHeaders };
const authorized = { headers: { Authorization: `Bearer ${target.token}` } };

interface Returned {
  data: unknown;
  status: number;
}

/** Calls one of the two APIs, with the `mutator` of the page of generators. */
async function call(base: string, send: () => Promise<Returned>): Promise<Outcome> {
  setBase(base);
  const { data, status } = await send();
  return status < 300 ? { data } : { error: data, response: { status } };
}
const callGateway = (send: () => Promise<Returned>) => call(target.gateway, send);
const callStorage = (send: () => Promise<Returned>) => call(target.storage, send);

await drive({
  get: (path) =>
    callGateway(() =>
      path
        ? gateway.cloudrunGet('hello', path, authorized)
        : gateway.cloudrunGetRoot('hello', authorized),
    ),
  post: (path, body) =>
    callGateway(() =>
      path
        ? gateway.cloudrunPost('hello', path, body, authorized)
        : gateway.cloudrunPostRoot('hello', body, authorized),
    ),
  getUploadMetaData: (path) => callStorage(() => storage.getUploadMetaData(env, { path }, signed)),
  upload: (url, form) => callStorage(() => storage.uploadFile(form, { to: url })),
  batchGetTempUrls: (fileList) =>
    callStorage(() => storage.batchGetTempUrls(env, { fileList }, signed)),
  batchDelete: (fileList) => callStorage(() => storage.batchDelete(env, { fileList }, signed)),
  batchCopyFile: (fileList) => callStorage(() => storage.batchCopyFile(env, { fileList }, signed)),
});
