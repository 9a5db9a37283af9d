import { createServer, type Server } from 'node:http';
import { afterAll, beforeAll, it } from 'vitest';
import { WebSocketServer } from 'ws';
import { listen } from '../../../scripts/testing/listen.ts';
import { type Deployment, startDeployment } from '../../client/test/platforms/deployment.ts';
import { FEATURES } from '../../client/test/platforms/features.ts';
import { startReference } from './targets/start-reference.ts';

// The client's own tests run its features against the mock.
let deployment: Deployment;
const started: { close(): Promise<unknown> }[] = [];
beforeAll(async () => {
  const mock = await startDeployment();
  const echo = await listen(createEcho());
  const reference = await startReference({ fixtureUrl: echo.url, isAlone: true });
  started.push(reference, echo, mock);
  const { gatewayUrl, gatewayToken: token = '' } = reference.options;
  const { tc3SecretId: secretId = '', tc3SecretKey: secretKey = '' } = reference.options;
  const urls = { gateway: gatewayUrl, storage: gatewayUrl, echo: 'conformance' };
  deployment = { ...mock.deployment, ...urls, token, keyPair: { secretId, secretKey } };
});
afterAll(async () => {
  for (const { close } of started) await close();
});

it.each(FEATURES)('the client on the reference server: $name', ({ run }) => run(deployment));

/** Echoes calls and messages like the mock's `echo`. */
function createEcho(): Server {
  const server = createServer(async (request, response) => {
    const body = String(Buffer.concat(await request.toArray()));
    const { method, url = '', headers } = request;
    const [path, query = ''] = url.split('?');
    const status = Number(/^\/status\/(\d+)$/.exec(url)?.[1] ?? 200);
    response.writeHead(status, { 'Content-Type': 'application/json' });
    response.end(
      JSON.stringify(status === 200 ? { method, path, query, headers, body } : { status }),
    );
  });
  new WebSocketServer({ server }).on('connection', (socket) =>
    socket.on('message', (data, binary) => socket.send(data, { binary })),
  );
  return server;
}
