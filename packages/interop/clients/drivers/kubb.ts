import type { Client } from '../../generated/kubb/gateway.v1/.kubb/fetch.ts';
import * as gateway from '../../generated/kubb/gateway.v1/index.ts';
import * as storage from '../../generated/kubb/storage.v2/index.ts';
import { drive, type Outcome, readTarget } from './drive.ts';

const { gateway: gatewayUrl, storage: storageUrl, env, token, storageHeaders } = await readTarget();

let status = 0;

// As on the page of generators: a `client` that sends JSON as JSON, and parses only JSON. It keeps the status,
// which the generated functions do not return.
const client: Client = async <T>({ baseURL = '', url, data, ...init }: Parameters<Client>[0]) => {
  const isForm = data instanceof FormData;
  const response = await fetch(baseURL + url, {
    method: init.method ?? 'GET',
    headers: {
      ...(data === undefined || isForm ? {} : { 'Content-Type': 'application/json' }),
      ...init.headers,
    } as Record<string, string>,
    ...(data === undefined ? {} : { body: isForm ? data : JSON.stringify(data) }),
  });
  ({ status } = response);
  const isJson = response.headers.get('Content-Type')?.includes('json');
  const body = isJson ? await response.json() : await response.text();
  const { statusText, headers } = response;
  return { data: body as T, status, statusText, headers };
};
const authorized = { client, baseURL: gatewayUrl, headers: { Authorization: `Bearer ${token}` } };
const signed = { client, baseURL: storageUrl, headers: storageHeaders };

async function toOutcome(call: Promise<unknown>): Promise<Outcome> {
  const data = await call;
  return status < 300 ? { data } : { error: data, response: { status } };
}

await drive({
  get: (path) =>
    toOutcome(
      path
        ? gateway.cloudrunGet('hello', path, undefined, authorized)
        : gateway.cloudrunGetRoot('hello', undefined, authorized),
    ),
  post: (path, body) =>
    toOutcome(
      path
        ? gateway.cloudrunPost('hello', path, body, authorized)
        : gateway.cloudrunPostRoot('hello', body, authorized),
    ),
  getUploadMetaData: (path) => toOutcome(storage.getUploadMetaData(env, { path }, signed)),
  upload: (url, form) => toOutcome(storage.uploadFile(form, { client, baseURL: '', url })),
  batchGetTempUrls: (fileList) => toOutcome(storage.batchGetTempUrls(env, { fileList }, signed)),
  batchDelete: (fileList) => toOutcome(storage.batchDelete(env, { fileList }, signed)),
  batchCopyFile: (fileList) => toOutcome(storage.batchCopyFile(env, { fileList }, signed)),
});
