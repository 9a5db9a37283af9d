import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join } from 'node:path';

const SITE = join(import.meta.dirname, '../../dist/site');
const TYPES: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.css': 'text/css',
  '.js': 'text/javascript',
  '.json': 'application/json',
  '.svg': 'image/svg+xml',
};

/** Serves the built site like a static host: `/a` is `a.html`. */
export async function serveSite() {
  const server = createServer(async (request, response) => {
    const path = decodeURI(new URL(request.url ?? '/', 'http://site').pathname);
    for (const file of path.endsWith('/') ? [`${path}index.html`] : [path, `${path}.html`]) {
      const body = await readFile(join(SITE, file)).catch(() => undefined);
      if (!body) continue;
      const type = TYPES[extname(file)] ?? 'text/plain; charset=utf-8';
      response.writeHead(200, { 'content-type': type }).end(body);
      return;
    }
    response.writeHead(404).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
