import type { CreateClient, Outcome } from '../src/calls.ts';

async function send(url: string, init: RequestInit): Promise<Outcome> {
  const response = await fetch(url, init);
  const type = response.headers.get('Content-Type') ?? '';
  const data = type.startsWith('application/json') ? await response.json() : await response.text();
  return response.ok ? { data, response } : { error: data, response };
}

const json = { 'Content-Type': 'application/json' };

/** No generated client at all, for comparison. */
export const create: CreateClient = ({ gatewayUrl, storageUrl, env, token, storageHeaders }) => {
  const call = (path: string, init: RequestInit = {}, name = 'hello') =>
    send(`${gatewayUrl}/v1/cloudrun/${name}/${path}`, {
      ...init,
      headers: { ...init.headers, Authorization: `Bearer ${token}` },
    });
  const post = (operation: string, body: object) =>
    send(`${storageUrl}/api/v2/envs/${env}/storages:${operation}`, {
      method: 'POST',
      headers: { ...json, ...storageHeaders },
      body: JSON.stringify(body),
    });
  return {
    get: (path, name) => call(path, {}, name),
    post: (path, body) => call(path, { method: 'POST', headers: json, body: JSON.stringify(body) }),
    getUploadMetaData: (path) => post('getUploadMetaData', { path }),
    upload(url, fields) {
      const body = new FormData();
      for (const [name, value] of Object.entries(fields)) body.append(name, value);
      return send(url, { method: 'POST', body });
    },
    batchGetTempUrls: (fileList) => post('batchGetTempUrls', { fileList }),
    batchDelete: (fileList) => post('batchDelete', { fileList }),
    batchCopyFile: (fileList) => post('batchCopyFile', { fileList }),
  };
};
