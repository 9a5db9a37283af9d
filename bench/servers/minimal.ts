// Minimal servers: peers of ours, and what is behind ours or serves a client. Arguments: port, one of the keys
// below, and those of the server. Each process loads only the server that it measures.
import { createReadStream, createWriteStream, statSync } from 'node:fs';
import { Agent, createServer, type Server } from 'node:http';
import { join } from 'node:path';
import type { BusboyHeaders } from '@fastify/busboy';

const UPLOAD = '/upload';
const PREFIX = '/v1/cloudrun/hello';

const [, , port = '', name = '', argument = ''] = process.argv;

const SERVERS: Readonly<Record<string, (argument: string) => Promise<Server>>> = {
  /**
   * A deployment with fixed responses, so that only the cost of the client varies. It grants every upload and
   * discards the content.
   */
  async storage() {
    const deleted = toBody({ fileList: [{ fileID: 'cloud://dev.files/a.txt', code: 'SUCCESS' }] });
    const grant = toBody({
      url: `http://127.0.0.1:${port}${UPLOAD}`,
      token: 'a token',
      authorization: 'a signature',
      fileID: 'cloud://dev.files/a/file.bin',
      storeFileID: 'a file id',
    });
    return createServer((request, response) => {
      request.resume();
      request.on('end', () => {
        if (request.url === UPLOAD) return response.writeHead(204).end();
        const body = request.url?.endsWith(':getUploadMetaData') ? grant : deleted;
        return response.writeHead(200, { 'content-type': 'application/json' }).end(body);
      });
    });
  },
  /** The hosted service behind both gateways: a small JSON response. */
  async 'gateway-origin'() {
    const body = JSON.stringify({ hello: 'you', items: [1, 2, 3] });
    return createServer((_request, response) => {
      response
        .writeHead(200, { 'content-type': 'application/json', 'content-length': body.length })
        .end(body);
    });
  },
  /**
   * httpxy in front of the hosted service, with keep-alive connections, without authentication or header rules.
   * Argument: hosted service URL.
   */
  async httpxy(target) {
    const { createProxyServer } = await import('httpxy');
    const proxy = createProxyServer({ target, agent: new Agent({ keepAlive: true }) });
    return createServer((request, response) => {
      request.url = request.url?.slice(PREFIX.length) || '/';
      void proxy.web(request, response);
    });
  },
  /** http-proxy-middleware in front of the hosted service, likewise. */
  async 'http-proxy-middleware'(target) {
    const { createProxyMiddleware } = await import('http-proxy-middleware');
    const agent = new Agent({ keepAlive: true });
    const pathRewrite = (path: string) => path.slice(PREFIX.length) || '/';
    const proxy = createProxyMiddleware({ target, agent, pathRewrite });
    return createServer((request, response) => void proxy(request, response));
  },
  /**
   * A file server: busboy piped to the disk, with fsync, and createReadStream().pipe(response). No grants, no
   * hash, no atomic replacement, no headers. Argument: folder.
   */
  async 'files-peer'(root) {
    const { Busboy } = await import('@fastify/busboy');
    const path = join(root, 'file');
    return createServer((request, response) => {
      if (request.method === 'GET') {
        response.setHeader('content-length', statSync(path).size);
        createReadStream(path).pipe(response);
        return;
      }
      const form = new Busboy({ headers: request.headers as BusboyHeaders });
      form.on('file', (_name, file) => {
        const disk = createWriteStream(path, { flush: true });
        disk.on('close', () => response.writeHead(204).end());
        file.pipe(disk);
      });
      request.pipe(form);
    });
  },
};

const server = await SERVERS[name]?.(argument);
if (!server) throw new Error(`Unknown server: ${name}.`);
server.listen(Number(port), '127.0.0.1', () => process.stdout.write('ready'));

function toBody(data: object): string {
  const body = { requestId: '5d1f8c1e-7f0a-4c3b-9a55-1f2f3f6b8e21', data };
  return JSON.stringify({ statusCode: 200, body });
}
