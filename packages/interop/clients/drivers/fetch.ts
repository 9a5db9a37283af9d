import { drive, type Outcome, readTarget } from './drive.ts';

const { gateway, storage, env, token, storageHeaders } = await readTarget();

async function send(url: string, init: RequestInit): Promise<Outcome> {
  const response = await fetch(url, init);
  const type = response.headers.get('Content-Type') ?? '';
  const data = type.startsWith('application/json') ? await response.json() : await response.text();
  return response.ok ? { data, response } : { error: data, response };
}

const json = { 'Content-Type': 'application/json' };
const call = (path: string, init: RequestInit = {}) =>
  send(`${gateway}/v1/cloudrun/hello/${path}`, {
    ...init,
    headers: { ...init.headers, Authorization: `Bearer ${token}` },
  });
const post = (operation: string, body: object) =>
  send(`${storage}/api/v2/envs/${env}/storages:${operation}`, {
    method: 'POST',
    headers: { ...json, ...storageHeaders },
    body: JSON.stringify(body),
  });

await drive({
  get: (path) => call(path),
  post: (path, body) => call(path, { method: 'POST', headers: json, body: JSON.stringify(body) }),
  getUploadMetaData: (path) => post('getUploadMetaData', { path }),
  upload: (url, fields) => {
    const body = new FormData();
    for (const [name, value] of Object.entries(fields)) body.append(name, value);
    return send(url, { method: 'POST', body });
  },
  batchGetTempUrls: (fileList) => post('batchGetTempUrls', { fileList }),
  batchDelete: (fileList) => post('batchDelete', { fileList }),
  batchCopyFile: (fileList) => post('batchCopyFile', { fileList }),
});
