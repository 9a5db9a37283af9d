import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { StorageClientOptions } from '@berth/client';
import { listen } from '../../../../scripts/testing/listen.ts';
import { storageAt } from './clients.ts';

/** What a server does with one call. If it throws, the connection is closed. */
export type Handler = (request: IncomingMessage, response: ServerResponse) => unknown;

/** Starts a server on loopback with a handler for each call, of which the last one handles all further calls. */
export async function startServer(...handlers: Handler[]) {
  const calls: { method: string; url: string; headers: IncomingMessage['headers'] }[] = [];
  const server = createServer(async (request, response) => {
    const handle = handlers[Math.min(calls.length, handlers.length - 1)];
    const { method = '', url = '', headers } = request;
    calls.push({ method, url, headers });
    try {
      await handle?.(request, response);
    } catch {
      response.destroy();
    }
  });
  return { server, calls, ...(await listen(server)) };
}

export async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  return Buffer.concat(await request.toArray());
}

/** Options of the client, and the path of the upload target. */
type ServeOptions = Partial<StorageClientOptions> & { readonly target?: string };

/** A deployment that grants uploads, links each file to `/file`, and leaves those requests to the test. Counts both. */
export async function serveStorage(handle: Handler, options: ServeOptions = {}) {
  const { target = '/target?grant=1', ...clientOptions } = options;
  let grants = 0;
  let links = 0;
  const served = await startServer(async (request, response) => {
    const respond = (data: object) =>
      response.end(JSON.stringify({ statusCode: 200, body: { requestId: 'r-1', data } }));
    if (request.url?.endsWith(':getUploadMetaData')) {
      const { path } = JSON.parse(String(await bodyOf(request)));
      grants += 1;
      return respond({
        url: served.url + target,
        token: 'token',
        authorization: 'authorization',
        fileID: `cloud://dev.files/${path}`,
        storeFileID: 'store-1',
      });
    }
    if (!request.url?.endsWith(':batchGetTempUrls')) return handle(request, response);
    const { fileList } = JSON.parse(String(await bodyOf(request)));
    links += 1;
    const [{ fileID }] = fileList;
    const tempFileURL = `${served.url}/file?sign=5ec4e7`;
    return respond({ fileList: [{ fileID, code: 'SUCCESS', tempFileURL }] });
  });
  const storage = storageAt(served.url, { retry: { delay: 1 }, ...clientOptions });
  return { ...served, storage, grants: () => grants, links: () => links };
}

const JSON_HEADERS = { 'Content-Type': 'application/json', 'X-Request-Id': 'r-1' };

/** Responds like a hosted service. */
export const serve =
  (body: unknown, status = 200, headers: Record<string, string> = {}): Handler =>
  (_, response) => {
    const upstream = { 'X-Svc-Upstream-Status-Code': String(status) };
    response.writeHead(status, { ...JSON_HEADERS, ...upstream, ...headers });
    response.end(JSON.stringify(body));
  };

/** Rejects the call as the gateway does. */
export const refuse =
  (code: string, status: number, headers: Record<string, string> = {}): Handler =>
  (_, response) => {
    response.writeHead(status, { ...JSON_HEADERS, ...headers });
    response.end(JSON.stringify({ code, message: 'No.', requestId: 'r-1' }));
  };

export const reset: Handler = (request) => request.socket.resetAndDestroy();
export const hang: Handler = () => {};

/** Sends a part of a body, then breaks off the connection. */
export const breakOff =
  (status: number): Handler =>
  (_, response) =>
    response.writeHead(status, { 'Content-Length': '100' }).write('{', () => response.destroy());
export const stall: Handler = (_, response) => response.writeHead(200).write('{');

/** Rejects the token `t1`, and accepts any other. */
export const rejectT1: Handler = (request, response) => {
  const isFirst = request.headers.authorization === 'Bearer t1';
  (isFirst ? refuse('A_CODE_OF_ITS_OWN', 401) : serve({ a: 1 }))(request, response);
};

/** Sends the same bytes again and again, until the connection is closed. */
export const keepSending =
  (text: string): Handler =>
  ({ socket }) => {
    const timer = setInterval(() => socket.write(text), 1);
    socket.on('close', () => clearInterval(timer)).on('error', () => {});
  };
