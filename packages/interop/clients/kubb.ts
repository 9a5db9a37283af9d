import { type Client as Fetch, setConfig } from '../generated/kubb/gateway.v1/.kubb/fetch.ts';
import * as gateway from '../generated/kubb/gateway.v1/index.ts';
import { setConfig as setStorageConfig } from '../generated/kubb/storage.v2/.kubb/fetch.ts';
import * as storage from '../generated/kubb/storage.v2/index.ts';
import type { CreateClient, Outcome } from '../src/calls.ts';

// #region client
let lastStatus: number | undefined;

const client: Fetch = async <T>({ baseURL = '', url, data, ...init }: Parameters<Fetch>[0]) => {
  const isForm = data instanceof FormData;
  const response = await fetch(baseURL + url, {
    method: init.method ?? 'GET',
    headers: {
      ...(data === undefined || isForm ? {} : { 'Content-Type': 'application/json' }),
      ...init.headers,
    } as Record<string, string>,
    ...(data === undefined ? {} : { body: isForm ? data : JSON.stringify(data) }),
  });
  const type = response.headers.get('Content-Type') ?? '';
  const returned = type.startsWith('text/event-stream')
    ? response.body
    : type.includes('json')
      ? await response.json()
      : await response.text();
  const { status, statusText, headers } = response;
  lastStatus = status; // which the generated functions do not return
  return { data: returned as T, status, statusText, headers };
};
// await cloudrunPostRoot('hello', { name: 'Ada' }, { client });
// #endregion

async function toOutcome(call: Promise<unknown>): Promise<Outcome> {
  lastStatus = undefined;
  const data = await call;
  // Without the client above, an error looks like data.
  const status = lastStatus ?? (Object(data).code === undefined ? 200 : 400);
  return status < 300 ? { data } : { error: data, response: { status } };
}

export const create: CreateClient = (target, isConfigured) => {
  const { env, token, storageHeaders } = target;
  setConfig({ baseURL: target.gatewayUrl, headers: { Authorization: `Bearer ${token}` } });
  setStorageConfig({ baseURL: target.storageUrl, headers: storageHeaders });
  const authorized = isConfigured
    ? { client, baseURL: target.gatewayUrl, headers: { Authorization: `Bearer ${token}` } }
    : {};
  const signed = isConfigured
    ? { client, baseURL: target.storageUrl, headers: storageHeaders }
    : {};
  return {
    get: (path, name = 'hello') =>
      toOutcome(
        path
          ? gateway.cloudrunGet(name, path, undefined, authorized)
          : gateway.cloudrunGetRoot(name, undefined, authorized),
      ),
    post: (path, body) =>
      toOutcome(
        path
          ? gateway.cloudrunPost('hello', path, body, authorized)
          : gateway.cloudrunPostRoot('hello', body, authorized),
      ),
    getUploadMetaData: (path) => toOutcome(storage.getUploadMetaData(env, { path }, signed)),
    upload(url, form) {
      if (!isConfigured) return toOutcome(storage.uploadFile(form, { baseURL: url }));
      // #region upload
      const uploaded = storage.uploadFile(form, { client, baseURL: '', url });
      // #endregion
      return toOutcome(uploaded);
    },
    batchGetTempUrls: (fileList) => toOutcome(storage.batchGetTempUrls(env, { fileList }, signed)),
    batchDelete: (fileList) => toOutcome(storage.batchDelete(env, { fileList }, signed)),
    batchCopyFile: (fileList) => toOutcome(storage.batchCopyFile(env, { fileList }, signed)),
  };
};
