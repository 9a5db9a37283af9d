// Bundled for a page by the test of Chromium: an application with its handlers and its calls.
import { events, mswHandlers, routes } from '@berth/mock/msw';
import { setupWorker } from 'msw/browser';

const baseUrl = new URL(import.meta.url).origin;
const berth = mswHandlers({
  baseUrl,
  services: {
    orders: routes({
      'GET /{id}': (_, { id }) => Response.json({ id }),
      'GET /news': (request) => events([{ data: 'one' }, { data: 'two' }], request),
      'WS /live': async (socket) => {
        for await (const message of socket) await socket.send(`You said: ${message}`);
      },
    }),
  },
});
const headers = { authorization: 'Bearer any' };
const storageHeaders = {
  'content-type': 'application/json',
  'x-svc-authorization': '1.0 any',
  'x-svc-timestamp': '1700000000',
};

async function callStorage<Data>(id: string, body: object): Promise<Data> {
  const init = { method: 'POST', headers: storageHeaders, body: JSON.stringify(body) };
  const response = await fetch(`${baseUrl}/api/v2/envs/dev/storages:${id}`, init);
  return ((await response.json()) as { body: { data: Data } }).body.data;
}

type Grant = Record<'url' | 'authorization' | 'token' | 'storeFileID' | 'fileID', string>;
type Links = { fileList: [{ tempFileURL: string }] };

async function run() {
  await setupWorker(...berth.handlers).start();
  const order = await (await fetch(`${baseUrl}/v1/cloudrun/orders/7`, { headers })).json();
  const news = await (await fetch(`${baseUrl}/v1/cloudrun/orders/news`, { headers })).text();
  const socket = new WebSocket(`${baseUrl.replace('http', 'ws')}/v1/cloudrun/orders/live`);
  socket.onopen = () => socket.send('Hello');
  const message = await new Promise((resolve) => {
    socket.onmessage = ({ data }) => resolve(data);
  });
  const grant = await callStorage<Grant>('getUploadMetaData', { path: 'a.txt' });
  const form = new FormData();
  form.append('key', 'a.txt');
  form.append('Signature', grant.authorization);
  form.append('x-store-security-token', grant.token);
  form.append('x-store-meta-fileid', grant.storeFileID);
  form.append('file', new Blob(['A file.'], { type: 'text/plain' }), 'a.txt');
  const upload = await fetch(grant.url, { method: 'POST', body: form });
  const links = await callStorage<Links>('batchGetTempUrls', {
    fileList: [{ fileID: grant.fileID }],
  });
  const content = await (await fetch(links.fileList[0].tempFileURL)).text();
  return {
    order,
    news,
    message,
    upload: upload.status,
    content,
    files: berth.files.list().map(({ path }) => path),
  };
}

Object.assign(globalThis, { run });
