import { createServer, type Server } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import type { RedisState } from '../redis.ts';
import type { ServerStore } from '../store/server-store.ts';
import type { Metrics } from './metrics.ts';

/** While `draining`, the server still accepts calls for `listen.shutdownDelaySeconds`. */
export type Phase = 'starting' | 'ready' | 'draining';

type Page = readonly [status: number, text: string, contentType?: string];

export function createAdmin(
  { blobs, redis }: { blobs: ServerStore; redis: RedisState | undefined },
  metrics: Metrics,
  getPhase: () => Phase,
): Server {
  // Hosted services need neither the store nor Redis, so their outage does not make this fail.
  const toReadiness = async (): Promise<Page> => {
    const phase = getPhase();
    if (phase !== 'ready') return [503, `${phase}\n`];
    const redisFault = redis?.isAvailable() === false ? 'redis: not available\n' : '';
    return [200, `ready\n${await findStoreFault(blobs, metrics)}${redisFault}`];
  };
  const pages = new Map<string | undefined, () => Page | Promise<Page>>([
    ['/healthz', () => [200, 'ok\n']],
    ['/readyz', toReadiness],
    ['/metrics', async () => [200, await metrics.toText(), metrics.contentType]],
  ]);
  const notFound = (): Page => [404, `Available paths:\n${[...pages.keys()].join('\n')}\n`];
  const limits = { headersTimeout: 5_000, requestTimeout: 10_000 };
  return createServer(limits, async (request, response) => {
    const toPage = pages.get(request.resume().url?.split('?', 1)[0]) ?? notFound;
    const [code, text, type = 'text/plain; charset=utf-8'] = await Promise.resolve()
      .then(toPage)
      .catch((error: Error): Page => [500, `${error.name}\n`]);
    response.writeHead(code, {
      'content-type': type,
      'content-length': Buffer.byteLength(text),
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
    });
    response.end(text);
  });
}

/** A store that takes longer to respond is not ready for uploads. */
const STORE_CHECK_MILLISECONDS = 3_000;

async function findStoreFault(blobs: ServerStore, metrics: Metrics): Promise<string> {
  const check = blobs.check().then(
    () => '',
    (error: Error) => {
      metrics.countStoreError(error);
      return `store: ${error.message}\n`;
    },
  );
  const late = 'store: no response\n';
  return Promise.race([check, wait(STORE_CHECK_MILLISECONDS, late, { ref: false })]);
}
