import { createServer, type ServerResponse } from 'node:http';
import { createMock } from '@berth/mock';
import { listen } from '../../../../scripts/testing/listen.ts';

/** Addresses and credentials of the servers that the features are run against, as JSON. */
export type Deployment = Awaited<ReturnType<typeof startDeployment>>['deployment'];

/** Starts a mock that checks every signature, and a gateway whose connections break or hang. */
export async function startDeployment() {
  const mock = await createMock({ env: 'dev', credentials: 'strict', services: {} });
  const unstable = await startUnstable();
  const { id: secretId, secret: secretKey, token } = await mock.credentials();
  const deployment = {
    gateway: mock.gatewayUrl,
    storage: mock.storageUrl,
    /** Name of a service like the mock's `echo`. */
    echo: 'echo',
    token,
    keyPair: { secretId, secretKey },
    unstable: unstable.url,
  };
  const close = async () => void (await Promise.all([unstable.close(), mock.close()]));
  return { deployment, close };
}

/**
 * Starts a gateway with two services, an empty page, and a redirect to it: `/moved`. `ticker` sends the events 1 to 5,
 * two in each connection, and breaks off each within the next event. `slow` does not respond to `/<id>`; `/begun/<id>`
 * responds when such a call has arrived, and `/ended/<id>` when its caller has gone.
 */
async function startUnstable() {
  const marks = new Map<string, PromiseWithResolvers<void>>();
  const markOf = (name: string) => {
    const mark = marks.get(name) ?? Promise.withResolvers<void>();
    marks.set(name, mark);
    return mark;
  };
  const server = createServer(async ({ method, url = '', headers }, response) => {
    response.setHeader('Access-Control-Allow-Origin', '*');
    response.setHeader('Access-Control-Allow-Headers', '*, Authorization');
    if (method === 'OPTIONS') return response.end();
    if (url === '/') return response.setHeader('Content-Type', 'text/html').end();
    if (url === '/moved') return response.writeHead(302, { Location: '/' }).end();
    const path = url.replace('/v1/cloudrun/', '');
    if (path === 'ticker') return sendTicks(response, Number(headers['last-event-id'] ?? 0));
    const id = path.replace('slow/', '');
    if (/^(begun|ended)\//.test(id)) {
      await markOf(id).promise;
      return response.end();
    }
    response.on('close', () => markOf(`ended/${id}`).resolve());
    markOf(`begun/${id}`).resolve();
  });
  return listen(server);
}

function sendTicks(response: ServerResponse, after: number): void {
  if (after >= 5) return void response.writeHead(204).end();
  response.writeHead(200, { 'Content-Type': 'text/event-stream' });
  const ids = [after + 1, after + 2].filter((id) => id <= 5);
  const events = ids.map((id) => `id: ${id}\ndata: 中${id}\n\n`).join('');
  // Some platforms discard what they have not passed on when a connection breaks, so it breaks later.
  response.write(`retry: 10\n\n${events}`, () =>
    setTimeout(() => {
      if (after + 2 >= 5) response.end();
      else response.write('id: 9\ndata: incompl', () => response.destroy());
    }, 50),
  );
}
