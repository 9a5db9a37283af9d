import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { bodyOf } from '../loopback.ts';
import { createRandom, type Random } from './random.ts';

/** A text that must not appear in errors and logs: each credential and signature contains it. */
export const SECRET = '5ec4e7';

/** Events of a stream, with the IDs 1, 2, … */
export const EVENTS = 12;

/** Returns the bytes of a file, which are derived from its name. */
export function bytesOf(name: string): Buffer {
  const hash = createHash('sha256').update(name).digest();
  const length = [0, 1, 3_000, 150_000][hash.readUInt8(0) % 4] as number;
  return Buffer.from(
    Array.from({ length }, (_, at) => (at * 31 + (at >> 8) + (hash[1] ?? 0)) & 255),
  );
}

/**
 * A complete deployment: the gateway with two services, the storage API, the upload target and the
 * links. It counts how often each call was executed, by the ID in the call. Some responses are errors,
 * sent before or after executing the call, and always the same for the same seed.
 *
 * @param toAddress the URL that uploads and links should use
 */
export async function startCountingOrigin(seed: number, toAddress: () => string) {
  const executions = new Map<string, number>();
  const stored = new Map<string, Buffer>();
  let count = 0;
  const execute = (id: string) => executions.set(id, (executions.get(id) ?? 0) + 1);

  const server = createServer(async (request, response) => {
    count += 1;
    const random = createRandom(seed * 1_000 + 500 + count);
    response.setHeader('X-Request-Id', `r-${count}`);
    const url = new URL(request.url ?? '/', 'http://origin');
    try {
      // A call with an incomplete body is not executed: this throws.
      const body = await bodyOf(request);
      const operation = /:(\w+)$/.exec(url.pathname)?.[1];
      if (operation) storageCall(operation, JSON.parse(String(body)), response, random);
      else if (url.pathname === '/target') await upload(request, body, response, random);
      else if (url.pathname.startsWith('/file/')) link(url, request, response, random);
      else if (url.pathname.startsWith('/v1/cloudrun/news/'))
        await events(request, response, random);
      else serviceCall(url, request, response, random);
    } catch {
      response.destroy();
    }
  });
  server.on('clientError', (_, socket) => socket.destroy());

  const send = (response: ServerResponse, status: number, body: unknown) => {
    response.writeHead(status, { 'Content-Type': 'application/json' });
    response.end(JSON.stringify(body));
  };

  function serviceCall(
    url: URL,
    { headers }: IncomingMessage,
    response: ServerResponse,
    random: Random,
  ) {
    const id = url.searchParams.get('id') ?? '';
    const requestId = response.getHeader('X-Request-Id');
    const message = `You sent ${headers.authorization}.`;
    const refuse = (status: number, code: string) =>
      send(response, status, { code, message, requestId });
    const respond = (status: number) => {
      response.setHeader('X-Svc-Upstream-Status-Code', String(status));
      send(response, status, { id, fill: 'x'.repeat(random.pick([0, 100, 20_000])) });
    };
    const fate = random.next();
    if (fate < 0.1) return refuse(503, 'SERVICE_NOT_READY');
    if (fate < 0.15) return refuse(429, 'EXCEED_RATELIMIT');
    if (fate < 0.2) return refuse(401, 'ACCESS_TOKEN_EXPIRED');
    execute(id);
    if (fate < 0.25) return refuse(504, 'SERVICE_TIMEOUT');
    if (fate < 0.3) return refuse(502, 'BAD_GATEWAY');
    if (fate < 0.35) return respond(503);
    if (fate < 0.4) return respond(500);
    respond(200);
  }

  /**
   * Sends the events after `Last-Event-ID`, on connections that end at any event, and 204 after the last
   * one.
   */
  async function events({ headers }: IncomingMessage, response: ServerResponse, random: Random) {
    const last = Number(headers['last-event-id'] ?? 0);
    if (last >= EVENTS) return response.writeHead(204).end();
    response.writeHead(200, { 'Content-Type': 'text/event-stream' });
    response.write('retry: 1\n\n');
    const until = random.whole(last + 1, EVENTS);
    for (let id = last + 1; id <= until; id += 1) {
      await new Promise((resolve) => response.write(`id: ${id}\ndata: event ${id}\n\n`, resolve));
    }
    response.end();
  }

  function storageCall(
    operation: string,
    body: { path?: string; fileList?: { fileID?: string; srcPath?: string }[] },
    response: ServerResponse,
    random: Random,
  ) {
    const requestId = response.getHeader('X-Request-Id');
    const refuse = (status: number, code: string) =>
      send(response, status, { statusCode: status, body: { requestId, code, message: 'No.' } });
    const fate = random.next();
    if (fate < 0.1) return refuse(429, 'EXCEED_RATELIMIT');
    const names = body.fileList?.map(({ fileID, srcPath }) => fileID ?? srcPath ?? '') ?? [];
    for (const name of names) execute(`${operation} ${name}`);
    if (fate < 0.2) return refuse(503, 'SERVICE_UNAVAILABLE');
    if (fate < 0.25) return refuse(500, 'SYS_ERR');
    const files: Record<string, (name: string) => object> = {
      batchGetTempUrls: (fileID) => ({
        fileID,
        code: 'SUCCESS',
        tempFileURL: `${toAddress()}/file/${fileID}?sign=${SECRET}`,
      }),
      batchDelete: (fileID) => ({ fileID, code: 'SUCCESS' }),
      batchCopyFile: (name) => ({ fileID: `copy of ${name}` }),
    };
    const grant = {
      url: `${toAddress()}/target?sign=${SECRET}`,
      token: `token-${SECRET}`,
      authorization: `signature-${SECRET}`,
      fileID: `id of ${body.path}`,
      storeFileID: 'store',
    };
    const entry = files[operation];
    const data = entry ? { fileList: names.map(entry) } : grant;
    send(response, 200, { statusCode: 200, body: { requestId, data } });
  }

  async function upload(
    { headers }: IncomingMessage,
    body: Buffer,
    response: ServerResponse,
    random: Random,
  ) {
    const type = { 'Content-Type': headers['content-type'] ?? '' };
    const form = await new Response(body as never, { headers: type }).formData();
    const fate = random.next();
    const refuse = (status: number, code: string) => {
      const text = `Not with ${form.get('Signature')}.`;
      response.writeHead(status, { 'Content-Type': 'application/xml' });
      response.end(`<Error><Code>${code}</Code><Message>${text}</Message></Error>`);
    };
    if (fate < 0.1) return refuse(503, 'SlowDown');
    const key = String(form.get('key'));
    execute(`upload ${key}`);
    stored.set(key, Buffer.from(await (form.get('file') as File).arrayBuffer()));
    if (fate < 0.2) return refuse(500, 'InternalError');
    response.writeHead(204).end();
  }

  function link(url: URL, { headers }: IncomingMessage, response: ServerResponse, random: Random) {
    if (random.chance(0.1)) return response.writeHead(503).end();
    const name = decodeURIComponent(url.pathname.slice('/file/'.length));
    const bytes = bytesOf(name);
    response.setHeader('ETag', `"${name}"`);
    const [, from, to = bytes.length - 1] = /^bytes=(\d+)-(\d+)?$/.exec(headers.range ?? '') ?? [];
    if (from === undefined) {
      return response.writeHead(200, { 'Content-Length': bytes.length }).end(bytes);
    }
    if (Number(from) >= bytes.length) return response.writeHead(416).end();
    const part = bytes.subarray(Number(from), Number(to) + 1);
    response.writeHead(206, {
      'Content-Range': `bytes ${from}-${to}/${bytes.length}`,
      'Content-Length': part.length,
    });
    response.end(part);
  }

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    /** Returns how often each call was executed. */
    executions: (id: string) => executions.get(id) ?? 0,
    /** Returns the content stored under a key. */
    stored: (key: string) => stored.get(key),
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
