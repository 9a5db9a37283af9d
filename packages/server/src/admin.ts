import { createServer, type Server, type ServerResponse } from 'node:http';
import type { Registry } from 'prom-client';
import { isOwnHost } from './urls.ts';

const TEXT = 'text/plain; charset=utf-8';

/**
 * For each API, the reasons why it does not accept calls. The list is empty while the API accepts calls. If
 * the gateway accepts no calls, neither does the storage API.
 */
interface Unreadiness {
  readonly gateway: readonly string[];
  readonly storage: readonly string[];
}

interface AdminOptions {
  readonly hosts: readonly string[];
  readonly unreadiness: () => Promise<Unreadiness>;
  readonly registry: Registry;
}

/**
 * Creates the server for health checks and metrics. Hosted services do not need the store, so
 * an outage of the store must not make `/readyz` fail.
 */
export function createAdmin({ hosts, unreadiness, registry }: AdminOptions): Server {
  return createServer(
    { headersTimeout: 5_000, requestTimeout: 10_000 },
    async (request, response) => {
      request.resume();
      if (!isOwnHost(request.headers.host, hosts)) {
        send(
          response,
          421,
          TEXT,
          'This server is not available under that name: use localhost or an IP address.\n',
        );
      } else if (request.method !== 'GET' && request.method !== 'HEAD') {
        response.setHeader('allow', 'GET, HEAD');
        send(response, 405, TEXT, 'Only GET and HEAD are served here.\n');
      } else {
        try {
          await respond(request.url?.split('?', 1)[0], response);
        } catch (error) {
          send(response, 500, TEXT, `${(error as Error).name}\n`);
        }
      }
    },
  );

  async function respond(path: string | undefined, response: ServerResponse): Promise<void> {
    if (path === '/healthz') {
      send(response, 200, TEXT, 'ok\n');
    } else if (path === '/readyz' || path === '/readyz/gateway' || path === '/readyz/storage') {
      const { gateway, storage } = await unreadiness();
      const reasons = path === '/readyz/storage' ? storage : gateway;
      const notes = path === '/readyz' ? storage.map((reason) => `storage: ${reason}`) : [];
      if (reasons.length > 0) send(response, 503, TEXT, `${reasons.join('\n')}\n`);
      else send(response, 200, TEXT, `${['ready', ...notes].join('\n')}\n`);
    } else if (path === '/metrics') {
      send(response, 200, registry.contentType, await registry.metrics());
    } else {
      send(response, 404, TEXT, `Not found. Available paths:\n${PATHS.join('\n')}\n`);
    }
  }
}

const PATHS = ['/healthz', '/readyz', '/readyz/gateway', '/readyz/storage', '/metrics'];

function send(response: ServerResponse, status: number, type: string, text: string) {
  response
    .writeHead(status, {
      'content-type': type,
      'content-length': Buffer.byteLength(text),
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
    })
    .end(text);
}
