import { createServer, type Server, type ServerResponse } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import type { Metrics } from './metrics.ts';
import type { ServerStore } from './store/server-store.ts';

const TEXT = 'text/plain; charset=utf-8';

/** What the server is doing. It accepts calls while it is `ready`, and until it is `draining`. */
export interface Status {
  phase: 'starting' | 'ready' | 'draining';
}

interface AdminOptions {
  readonly status: Readonly<Status>;
  readonly blobs: ServerStore;
  readonly metrics: Pick<Metrics, 'contentType' | 'toText'>;
}

export function createAdmin({ status, blobs, metrics }: AdminOptions): Server {
  return createServer(
    { headersTimeout: 5_000, requestTimeout: 10_000 },
    async (request, response) => {
      request.resume();
      if (request.method !== 'GET' && request.method !== 'HEAD') {
        response.setHeader('allow', 'GET, HEAD');
        send(response, 405, 'Only GET and HEAD are served here.\n');
      } else {
        try {
          await respond(request.url?.split('?', 1)[0], response);
        } catch (error) {
          send(response, 500, `${(error as Error).name}\n`);
        }
      }
    },
  );

  async function respond(path: string | undefined, response: ServerResponse): Promise<void> {
    switch (path) {
      case '/healthz':
        return send(response, 200, 'ok\n');
      case '/readyz':
        return respondReadiness(response);
      case '/metrics':
        return send(response, 200, await metrics.toText(), metrics.contentType);
      default:
        return send(response, 404, `Not found. Available paths:\n${PATHS.join('\n')}\n`);
    }
  }

  /** Hosted services do not need the store, so its outage does not make `/readyz` fail. */
  async function respondReadiness(response: ServerResponse): Promise<void> {
    if (status.phase !== 'ready') return send(response, 503, `${status.phase}\n`);
    const fault = await findStoreFault(blobs);
    send(response, 200, fault === undefined ? 'ready\n' : `ready\nstorage: ${fault}\n`);
  }
}

const PATHS = ['/healthz', '/readyz', '/metrics'];

/** A store that takes longer to respond is not ready for uploads. */
const STORE_CHECK_MILLISECONDS = 3_000;

async function findStoreFault(blobs: ServerStore): Promise<string | undefined> {
  const check = blobs.check().then(
    () => undefined,
    (error: Error) => `blob store: ${error.message}`,
  );
  const late = wait(STORE_CHECK_MILLISECONDS, 'blob store: no response', { ref: false });
  return Promise.race([check, late]);
}

function send(response: ServerResponse, status: number, text: string, type = TEXT): void {
  response
    .writeHead(status, {
      'content-type': type,
      'content-length': Buffer.byteLength(text),
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
    })
    .end(text);
}
