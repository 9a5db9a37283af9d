import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { connect, type Socket } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { WebSocketServer } from 'ws';
import { HANDSHAKE, sendRaw } from '../support/send-raw.ts';
import {
  BEARER,
  startGateway,
  startRawService,
  startService,
  toService,
} from './support/start-gateway.ts';

const HELLO = '/v1/cloudrun/hello';
const HEAD = `GET ${HELLO}/ws?a=%20 HTTP/1.1\r\nHost: dev\r\n${HANDSHAKE}`;

const CHOSEN = 'Upgrade: websocket\r\nConnection: Upgrade\r\n';

/** A gateway in front of a service with WebSockets. */
async function startSockets(routing = {}) {
  const { origin, server } = await startService((_request, response) => response.end('plain'));
  const requests: IncomingMessage[] = [];
  new WebSocketServer({ server }).on('connection', (_, request) => requests.push(request));
  const { port } = await startGateway(toService([origin]), {}, routing);
  return { port, requests };
}

/** The head of the response to a raw handshake, while the connection stays open. */
async function shake(port: number, more: string): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  onTestFinished(() => {
    socket.destroy();
  });
  socket.write(`${HEAD}${more}\r\n`);
  let text = '';
  while (!text.includes('\r\n\r\n')) text += (await once(socket, 'data'))[0];
  return text;
}

it('removes the token of a browser from the subprotocols', async () => {
  const { port, requests } = await startSockets();
  const text = await shake(port, 'Sec-WebSocket-Protocol: berth.bearer.ada, chat\r\n');
  expect(text).toMatch(/^HTTP\/1\.1 101/);
  expect(text).toMatch(/sec-websocket-protocol: chat\r\n/i);
  expect(text).not.toContain('berth.bearer');
  expect(requests[0]?.headers['sec-websocket-protocol']).toBe('chat');
  // All but the request ID, which is random and may contain these letters.
  const { rawHeaders = [], headers } = requests[0] ?? {};
  const sent = rawHeaders.filter((text) => text !== headers?.['x-request-id']);
  expect(sent).toHaveLength(rawHeaders.length - 1);
  expect(JSON.stringify(sent)).not.toMatch(/bearer|ada/);
});

it.each([
  [
    'a bad token in a subprotocol',
    'Sec-WebSocket-Protocol: berth.bearer.BAD\r\n',
    401,
    'INVALID_CREDENTIALS',
  ],
  [
    'two tokens',
    `Authorization: ${BEARER}\r\nSec-WebSocket-Protocol: berth.bearer.ada\r\n`,
    401,
    'INVALID_CREDENTIALS',
  ],
  [
    'a foreign page',
    `Authorization: ${BEARER}\r\nOrigin: https://evil.example\r\n`,
    403,
    'SERVICE_FORBIDDEN',
  ],
])('refuses %s with an ordinary response', async (_what, more, status, code) => {
  const { port, requests } = await startSockets({ cors: { origins: ['https://app.example'] } });
  const text = await sendRaw(port, `${HEAD}${more}\r\n`);
  expect(text).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
  expect(text).toMatch(/connection: close\r\n/i);
  const [head = '', body = ''] = text.split('\r\n\r\n');
  const error = JSON.parse(body);
  expect(error.code).toBe(code);
  expect(head.toLowerCase()).toContain(`x-request-id: ${error.requestId}`);
  expect(requests).toEqual([]);
});

it('ignores an upgrade to anything else', async () => {
  const { port } = await startSockets();
  const raw = `GET ${HELLO} HTTP/1.1\r\nHost: dev\r\nAuthorization: ${BEARER}\r\n`;
  const text = await sendRaw(port, `${raw}Connection: Upgrade, close\r\nUpgrade: h2c\r\n\r\n`);
  expect(text).toMatch(/^HTTP\/1\.1 200 OK[\s\S]*plain/);
});

it.each([
  ['resets', 'BAD_GATEWAY', 600, (socket: Socket) => socket.resetAndDestroy()],
  ['is silent', 'SERVICE_TIMEOUT', 0.2, () => {}],
])('responds with an error if the service %s', async (_what, code, headersSeconds, act) => {
  const { origin } = await startRawService((socket) => socket.once('data', () => act(socket)));
  const { port } = await startGateway(toService([origin]), { headersSeconds });
  expect(await sendRaw(port, `${HEAD}Authorization: ${BEARER}\r\n\r\n`)).toContain(code);
});

it('forwards bytes that either side sends together with its handshake', async () => {
  const { origin } = await startRawService((socket) => {
    socket.once('data', () => {
      socket.write(`HTTP/1.1 101 Switching Protocols\r\n${CHOSEN}\r\nfirst`);
      socket.once('data', (chunk) => socket.end(`, ${chunk}`));
    });
  });
  const { port } = await startGateway(toService([origin]));
  const socket = connect(port, '127.0.0.1');
  socket.write(`${HEAD}Authorization: ${BEARER}\r\n\r\nearly`);
  let text = '';
  for await (const chunk of socket) text += chunk;
  expect(text).toMatch(/^HTTP\/1\.1 101[\s\S]*\r\n\r\nfirst, early$/);
});
