// A bare proxy: undici.stream on node:http, without authentication or header rules.
import { createServer } from 'node:http';
import { Pool } from 'undici';

const [, , port, origin = ''] = process.argv;
const pool = new Pool(origin);

createServer((request, response) => {
  const { method = 'GET', headers, url = '/' } = request;
  const { connection: _connection, ...rest } = headers;
  const path = url.slice('/v1/cloudrun/hello'.length) || '/';
  const body = method === 'GET' ? null : request;
  const options = { path, method, headers: rest, body, opaque: response };
  pool
    .stream(options as never, ({ statusCode, headers: responded }) =>
      response.writeHead(statusCode, responded),
    )
    .catch(() => response.destroy());
}).listen(Number(port), '127.0.0.1');
