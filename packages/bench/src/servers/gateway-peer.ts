// A proxy in front of the hosted service, without authentication or header rules.
// Arguments: port, one of the keys below, hosted service URL. Each process loads only the peer that it measures.
import { Agent, createServer } from 'node:http';

const PREFIX = '/v1/cloudrun/hello';
const toPath = (url = '') => url.slice(PREFIX.length) || '/';

const PEERS = {
  /** `undici.stream` on `node:http`. */
  async undici(target: string) {
    const { Pool } = await import('undici');
    const pool = new Pool(target);
    return createServer((request, response) => {
      const { method = 'GET', headers, url } = request;
      const { connection: _connection, ...rest } = headers;
      const body = method === 'GET' ? null : request;
      const options = { path: toPath(url), method, headers: rest, body, opaque: response };
      pool
        .stream(options as never, ({ statusCode, headers: responded }) =>
          response.writeHead(statusCode, responded),
        )
        .catch(() => response.destroy());
    });
  },
  /** On `node:http`, with keep-alive connections. */
  async httpxy(target: string) {
    const { createProxyServer } = await import('httpxy');
    const proxy = createProxyServer({ target, agent: new Agent({ keepAlive: true }) });
    return createServer((request, response) => {
      request.url = toPath(request.url);
      void proxy.web(request, response);
    });
  },
  /** http-proxy-middleware in Express 5, with keep-alive connections. */
  async middleware(target: string) {
    const { default: express } = await import('express');
    const { createProxyMiddleware } = await import('http-proxy-middleware');
    const options = { target, agent: new Agent({ keepAlive: true }) };
    return express().use(PREFIX, createProxyMiddleware(options as never));
  },
};

const [, , port, name, target = ''] = process.argv;
const server = await PEERS[name as keyof typeof PEERS](target);
server.listen(Number(port), '127.0.0.1');
