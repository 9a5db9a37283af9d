import { type GatewayAuth, type GatewayClientOptions, type GatewayError, tc3 } from '@berth/client';
import { assert, assertEqual, assertFails } from '../assert.ts';
import { serviceOf } from '../clients.ts';
import type { Deployment, PlatformCase } from '../platform-case.ts';
import { SERVICES } from '../services.ts';

export const WEB_SOCKETS: readonly PlatformCase[] = [
  {
    name: 'opens a WebSocket: text, bytes, subprotocol, close code',
    feature: 'webSocket',
    run: (deployment) => assertEchoes(deployment, {}),
    without: assertNoWebSocket,
  },
  {
    name: 'opens a WebSocket with a signature',
    feature: 'webSocketHeaders',
    run: (deployment) => assertEchoes(deployment, { auth: tc3(deployment.keyPair) }),
    async without(deployment) {
      if (typeof WebSocket === 'undefined') return assertNoWebSocket(deployment);
      const auth: GatewayAuth = tc3(deployment.keyPair);
      await assertFails(serviceOf(deployment, SERVICES.echo, { auth }).connect(), {
        name: 'TypeError',
        says: 'can only send JWT',
      });
    },
  },
  {
    name: 'opens a WebSocket that the caller makes',
    feature: 'ownWebSocket',
    async run(deployment, { openWebSocket }) {
      let made = 0;
      await assertEchoes(deployment, {
        webSocket: (url, protocols, headers) => {
          made += 1;
          return openWebSocket(url, protocols, headers);
        },
      });
      assertEqual(made, 1, 'WebSockets made');
    },
  },
  {
    name: 'reports why the gateway refuses a WebSocket',
    feature: 'webSocket',
    async run(deployment) {
      const { connect } = serviceOf(deployment, 'missing');
      await assertFails(connect(), { name: 'GatewayError', code: 'SERVICE_NOT_FOUND' });
    },
    without: assertNoWebSocket,
  },
  {
    name: 'reports that a WebSocket is refused',
    feature: 'ownWebSocket',
    async run(deployment, { openWebSocket }) {
      const echo = serviceOf(deployment, SERVICES.echo, { webSocket: openWebSocket });
      const error = await echo.connect('status/403').catch((reason: unknown) => reason);
      const { name, status } = error as GatewayError;
      // The ws package exposes the response of a service; platforms do not.
      const isExpected = name === 'GatewayError' ? status === 403 : name === 'NetworkError';
      assert(isExpected, `got ${error}`);
    },
  },
];

async function assertEchoes(
  deployment: Deployment,
  options: Pick<Partial<GatewayClientOptions>, 'auth' | 'webSocket'>,
): Promise<void> {
  const given = options as Pick<GatewayClientOptions, 'auth' | 'webSocket'>;
  const echo = serviceOf(deployment, SERVICES.echo, given);
  const socket = await echo.connect('room?x=1', { protocols: ['chat', 'other'] });
  socket.binaryType = 'arraybuffer';
  assertEqual(socket.protocol, 'chat', 'subprotocol');
  const next = () =>
    new Promise<unknown>((resolve) => {
      socket.addEventListener('message', ({ data }) => resolve(data), { once: true });
    });
  const exchange = (message: string | Uint8Array<ArrayBuffer>) => {
    const response = next();
    socket.send(message);
    return response;
  };
  assertEqual(await exchange('中 text'), '中 text');
  const bytes = new Uint8Array((await exchange(Uint8Array.of(0, 1, 255))) as ArrayBuffer);
  assertEqual([...bytes], [0, 1, 255]);
  const closed = new Promise<number>((resolve) => {
    socket.addEventListener('close', ({ code }) => resolve(code));
  });
  socket.send('close 4001');
  assertEqual(await closed, 4001, 'close code');
}

async function assertNoWebSocket(deployment: Deployment): Promise<void> {
  assert(typeof WebSocket === 'undefined', 'there is a WebSocket');
  await assertFails(serviceOf(deployment, SERVICES.echo).connect(), {
    name: 'TypeError',
    says: 'pass the webSocket option',
  });
}
