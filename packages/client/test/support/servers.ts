import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { StorageClientOptions } from '@berth/client';
import { listen } from '../../../../scripts/testing/listen.ts';
import { storageAt } from './clients.ts';

/** Handles a request in a test. If it throws, the connection is closed. */
export type Handler = (request: IncomingMessage, response: ServerResponse) => unknown;

/** Starts a server on a free loopback port. It is closed, with all its connections, at the end of a block. */
export async function startServer(handle: Handler) {
  const server = createServer(async (request, response) => {
    try {
      await handle(request, response);
    } catch {
      response.destroy();
    }
  });
  return { server, ...(await listen(server)) };
}

/** Responds like the storage API. */
function respond(response: ServerResponse, data: object): void {
  response.writeHead(200, { 'Content-Type': 'application/json', 'X-Request-Id': 'r-1' });
  response.end(JSON.stringify({ statusCode: 200, body: { requestId: 'r-1', data } }));
}

/** Reads all bytes of a request. */
export async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  return Buffer.concat(await request.toArray());
}

/**
 * A deployment that grants uploads, links each file to `/file`, and leaves it to the test to handle those requests. It
 * counts both.
 *
 * @param options client options, and the host name and path of the upload target
 */
export async function serveStorage(
  handle: Handler,
  {
    host = '127.0.0.1',
    target = '/target?grant=1',
    ...options
  }: Partial<StorageClientOptions> & { host?: string; target?: string } = {},
) {
  let grants = 0;
  let links = 0;
  const served = await startServer(async (request, response) => {
    if (request.url?.endsWith(':getUploadMetaData')) {
      const { path } = JSON.parse(String(await bodyOf(request)));
      grants += 1;
      return respond(response, {
        url: `${served.url.replace('127.0.0.1', host)}${target}`,
        token: 'token',
        authorization: 'authorization',
        fileID: `cloud://dev.files/${path}`,
        storeFileID: 'store-1',
      });
    }
    if (request.url?.endsWith(':batchGetTempUrls')) {
      const { fileList } = JSON.parse(String(await bodyOf(request)));
      links += 1;
      const items = fileList.map(({ fileID }: { fileID: string }) => {
        return { fileID, code: 'SUCCESS', tempFileURL: `${served.url}/file?sign=5ec4e7` };
      });
      return respond(response, { fileList: items });
    }
    return handle(request, response);
  });
  const storage = storageAt(served.url, { retry: { delay: 1 }, ...options });
  return { ...served, storage, grants: () => grants, links: () => links };
}

/** What a server does with one call. The last one in a list applies to all further calls. */
export type Act = (request: IncomingMessage, response: ServerResponse) => void;

/** A server with scripted behavior for each call, which records what it receives. */
export async function faultServer(...acts: Act[]) {
  const calls: { method: string; url: string; headers: IncomingMessage['headers'] }[] = [];
  const served = await startServer((request, response) => {
    const act = acts[Math.min(calls.length, acts.length - 1)];
    const { method = '', url = '', headers } = request;
    calls.push({ method, url, headers });
    request.resume();
    act?.(request, response);
  });
  served.server.on('clientError', () => {});
  return { ...served, calls, baseUrl: served.url };
}

const JSON_HEADERS = { 'Content-Type': 'application/json', 'X-Request-Id': 'r-1' };

/** Responds like the hosted service. */
export const serve =
  (body: unknown, status = 200, headers: Record<string, string> = {}): Act =>
  (_, response) => {
    const upstream = { 'X-Svc-Upstream-Status-Code': String(status) };
    response.writeHead(status, { ...JSON_HEADERS, ...upstream, ...headers });
    response.end(JSON.stringify(body));
  };

/** Rejects the call as the gateway does. */
export const refuse =
  (code: string, status: number, headers: Record<string, string> = {}): Act =>
  (_, response) => {
    response.writeHead(status, { ...JSON_HEADERS, ...headers });
    response.end(JSON.stringify({ code, message: 'No.', requestId: 'r-1' }));
  };

/** Breaks the connection before any response. */
export const reset: Act = (request) => request.socket.resetAndDestroy();

/** Never responds. */
export const hang: Act = () => {};

const HALF = { 'Content-Type': 'application/json', 'Content-Length': '100' };

/** Sends headers and half of the body, then breaks the connection. */
export const truncate: Act = (_, response) =>
  response.writeHead(200, HALF).write('{"a":', () => response.destroy());

/** Sends headers and half of the body, then nothing more. */
export const stall: Act = (_, response) => response.writeHead(200, HALF).write('{"a":');
