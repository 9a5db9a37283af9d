import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { expect, it } from 'vitest';
import { WebSocketServer } from 'ws';
import { startListening, startRawService } from '../server/support/hosted-service.ts';
import { serving, startServer } from '../server/support/start-server.ts';
import { HANDSHAKE, open, sendRaw } from '../support/send-raw.ts';

const PROTOCOLS = 'Sec-WebSocket-Protocol';

/** A server in front of a service with WebSockets. */
async function startSockets() {
  const server = createServer((_request, response) => response.end('plain'));
  const requests: IncomingMessage[] = [];
  new WebSocketServer({ server }).on('connection', (_, request) => requests.push(request));
  const origin = await startListening(server);
  const cors = { origins: ['https://app.example'] };
  return { requests, ...(await startServer({ cors }, serving(origin))) };
}

/** A handshake whose only credentials are those in `more`. */
const toHandshake = (more: string) =>
  `GET /v1/cloudrun/hello/ws?a=%20 HTTP/1.1\r\nHost: dev\r\n${HANDSHAKE}${more}\r\n`;

it('removes the token of a browser from the subprotocols', async () => {
  const { port, token, requests } = await startSockets();
  const socket = await open(port);
  socket.write(toHandshake(`${PROTOCOLS}: berth.bearer.${token}, chat\r\n`));
  const [text] = await once(socket.setEncoding('latin1'), 'data');
  expect(text).toMatch(/^HTTP\/1\.1 101/);
  expect(text).toMatch(/sec-websocket-protocol: chat\r\n/i);
  expect(text).not.toContain('berth.bearer');
  expect(requests[0]?.headers['sec-websocket-protocol']).toBe('chat');
  expect(JSON.stringify(requests[0]?.rawHeaders)).not.toMatch(/bearer/);
});

const BEARER = 'Authorization: Bearer TOKEN\r\n';

it.each([
  ['two tokens', `${BEARER}${PROTOCOLS}: berth.bearer.TOKEN\r\n`, 'ACCESS_TOKEN_INVALID'],
  ['a foreign page', `${BEARER}Origin: https://evil.example\r\n`, 'SERVICE_FORBIDDEN'],
])('refuses %s', async (_what, more, code) => {
  const { port, token, requests } = await startSockets();
  const text = await sendRaw(port, toHandshake(more.replaceAll('TOKEN', token)));
  expect(text).toMatch(/^HTTP\/1\.1 40[13] /);
  expect(text).toContain(code);
  expect(requests).toEqual([]);
});

it('ignores an upgrade to anything else', async () => {
  const { port, toGet } = await startSockets();
  const text = await sendRaw(port, toGet('Connection: Upgrade, close\r\nUpgrade: h2c\r\n'));
  expect(text).toMatch(/^HTTP\/1\.1 200 OK[\s\S]*plain/);
});

const SWITCH =
  'HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n';
const H2C = SWITCH.replace('websocket', 'h2c');

it.each([
  ['resets', 'BAD_GATEWAY', 600, (socket: Socket) => socket.resetAndDestroy()],
  ['chooses another protocol', 'BAD_GATEWAY', 600, (socket: Socket) => socket.write(H2C)],
  ['is silent', 'SERVICE_TIMEOUT', 0.2, () => {}],
])('responds with an error if the service %s', async (_what, code, headersSeconds, act) => {
  const origin = await startRawService((socket) => socket.once('data', () => act(socket)));
  const hello = { endpoints: [origin], headersSeconds };
  const { port, toGet, metric } = await startServer({}, { services: { hello } });
  expect(await sendRaw(port, toGet(HANDSHAKE))).toContain(code);
  expect(await metric('berth_service_calls_active')).toBe(0);
});

it('forwards bytes that either side sends together with its handshake', async () => {
  const origin = await startRawService((socket) => {
    socket.once('data', () => {
      socket.write(`${SWITCH}first`);
      socket.once('data', (chunk) => socket.end(`, ${chunk}`));
    });
  });
  const { port, toGet } = await startServer({}, serving(origin));
  const text = await sendRaw(port, `${toGet(HANDSHAKE)}early`);
  expect(text).toMatch(/^HTTP\/1\.1 101[\s\S]*\r\n\r\nfirst, early$/);
});
