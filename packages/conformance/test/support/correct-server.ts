import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage } from 'node:http';
import { closeServer, listen } from './listen.ts';

/** A response before it is sent; a test breaks it here. */
export interface Draft {
  /** The operationId, or `none`. */
  operation: string;
  status: number;
  headers: Record<string, string>;
  body: string;
}

export interface CorrectServer {
  url: string;
  /** The requests received, except those to `/`. */
  requests: { method: string; url: string; headers: IncomingMessage['headers']; body: string }[];
  [Symbol.asyncDispose](): Promise<void>;
}

type Body = { path?: string; fileList?: unknown[] };

/**
 * Starts a small server that follows the documents, as far as Dredd can tell, and shares no code with the
 * project. It has the services `conformance`, which echoes, and `forbidden`.
 *
 * @param handle changes a response, or returns `undefined` if there is none
 */
export async function startCorrectServer(
  handle: (draft: Draft) => Draft | undefined = (draft) => draft,
): Promise<CorrectServer> {
  const requests: CorrectServer['requests'] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks).toString();
    const { method = '', url = '', headers } = request;
    if (url !== '/') requests.push({ method, url, headers, body });
    const received = handle(respond(method, url, JSON.parse(body || '{}')));
    if (received) response.writeHead(received.status, received.headers).end(received.body);
  });
  const url = await listen(server);
  return { url, requests, [Symbol.asyncDispose]: () => closeServer(server) };
}

function respond(method: string, url: string, body: Body): Draft {
  const [, name, slash] = /^(?:\/base)?\/v1\/cloudrun\/([^/?]+)(\/?)/.exec(url) ?? [];
  if (name !== undefined)
    return callService(`cloudrun-${method.toLowerCase()}${slash ? '' : '-root'}`, name, url);
  const [, operation] = /^\/api\/v2\/envs\/dev\/storages:(\w+)$/.exec(url) ?? [];
  return callStorage(operation ?? 'none', body);
}

function callService(operation: string, name: string, url: string): Draft {
  const requestId = randomUUID();
  const headers: Record<string, string> = { 'X-Request-Id': requestId };
  const fail = (status: number, code: string): Draft => ({
    operation,
    status,
    headers: { ...headers, 'Content-Type': 'application/json' },
    body: JSON.stringify({ code, message: 'No.', requestId }),
  });
  if (!/^[A-Za-z][A-Za-z0-9_-]{0,58}[A-Za-z0-9]$/.test(name)) return fail(422, 'BAD_NAME');
  if (name === 'forbidden') return fail(403, 'SERVICE_FORBIDDEN');
  if (name !== 'conformance') return fail(404, 'SERVICE_NOT_FOUND');
  if (operation.startsWith('cloudrun-get')) headers['Content-Disposition'] = 'attachment';
  const echo = { fixture: 'berth-conformance', protocol: 1, target: url };
  return url.includes('type=text%2Fplain')
    ? {
        operation,
        status: 200,
        headers: { ...headers, 'Content-Type': 'text/plain' },
        body: 'Hello.',
      }
    : { operation, status: 200, headers: { ...headers, ...JSON_TYPE }, body: JSON.stringify(echo) };
}

function callStorage(operation: string, { path, fileList }: Body): Draft {
  const reply = (status: number, body: object): Draft => ({
    operation,
    status,
    headers: JSON_TYPE,
    body: JSON.stringify({ statusCode: status, body: { requestId: randomUUID(), ...body } }),
  });
  const refuse = () => reply(400, { code: 'MISSING', message: 'A field is missing.' });
  switch (operation) {
    case 'getUploadMetaData': {
      const grant = { url: 'http://127.0.0.1/', token: 't', authorization: 'a', storeFileID: 's' };
      return path ? reply(200, { data: { ...grant, fileID: `id:${path}` } }) : refuse();
    }
    case 'batchGetTempUrls': {
      const items = fileList?.map((item) => ({ ...Object(item), code: 'GONE', tempFileURL: '' }));
      return items ? reply(200, { data: { fileList: items } }) : refuse();
    }
    case 'batchDelete': {
      const items = fileList?.map((fileID) => ({ fileID, code: 'GONE' }));
      return items ? reply(200, { data: { fileList: items } }) : refuse();
    }
    case 'batchCopyFile': {
      const items = fileList?.map(() => ({ code: 'GONE', message: 'The source is missing.' }));
      return items ? reply(200, { data: { fileList: items } }) : refuse();
    }
    default:
      return reply(404, { code: 'NONE', message: 'No such operation.' });
  }
}

const JSON_TYPE = { 'Content-Type': 'application/json; charset=utf-8' };
