import { once } from 'node:events';
import { connect } from 'node:net';
import { expect, it } from 'vitest';
import { BEARER, send, startGateway, startService, toService } from './support/start-gateway.ts';

const HELLO = '/v1/cloudrun/hello';

it('refuses a body beyond the limit, announced or not, and disconnects from the service (D13)', async () => {
  const closed: Promise<unknown>[] = [];
  const { origin } = await startService((incoming) => {
    closed.push(new Promise((resolve) => incoming.socket.once('close', resolve)));
    incoming.on('error', () => {}).resume();
  });
  const { base } = await startGateway(toService([origin]), {}, { requests: { streamBytes: 1000 } });
  const announced = await send(base, HELLO, { method: 'POST', body: 'x'.repeat(1001) });
  expect(announced).toMatchObject({ code: 'EXCEED_MAX_PAYLOAD_SIZE', status: 413 });
  expect(closed).toEqual([]);
  async function* pieces() {
    yield 'x'.repeat(900);
    yield 'x'.repeat(900);
  }
  const chunked = await send(base, HELLO, { method: 'POST', body: pieces() });
  expect(chunked).toMatchObject({ code: 'EXCEED_MAX_PAYLOAD_SIZE', status: 413 });
  await Promise.all(closed);
});

const LARGE = 8 * 1024 * 1024;

/** Sends a large body completely before it reads anything, as a simple client does. */
async function sendAllFirst(port: number, length: string, body: Iterable<Buffer>): Promise<string> {
  const socket = connect({ port, host: '127.0.0.1' });
  const errors: Error[] = [];
  socket.on('error', (error) => errors.push(error));
  socket.write(
    `POST /v1/cloudrun/hello HTTP/1.1\r\nHost: dev\r\nAuthorization: ${BEARER}\r\n${length}\r\n\r\n`,
  );
  for (const piece of body) {
    if (!socket.write(piece)) await Promise.race([once(socket, 'drain'), once(socket, 'close')]);
    if (socket.destroyed) break;
  }
  let text = '';
  socket.on('data', (chunk) => {
    text += chunk;
  });
  if (!socket.closed) await once(socket, 'close');
  expect(errors).toEqual([]);
  return text;
}

function* pieces() {
  for (let sent = 0; sent < LARGE; sent += 65_536) yield Buffer.alloc(65_536, 'x');
}

function* chunks() {
  for (const piece of pieces())
    yield Buffer.concat([Buffer.from('10000\r\n'), piece, Buffer.from('\r\n')]);
  yield Buffer.from('0\r\n\r\n');
}

it.each([
  ['an announced length', `Content-Length: ${LARGE}`, pieces, 'no'],
  ['chunks', 'Transfer-Encoding: chunked', chunks, 'n'.repeat(300_000)],
])('delivers an early response to a caller that still sends %s', async (_, length, body, reply) => {
  const { origin } = await startService((_request, response) => {
    response.writeHead(403, { 'content-length': reply.length }).end(reply);
  });
  const { port } = await startGateway(toService([origin]));
  const text = await sendAllFirst(port, length, body());
  expect(text).toMatch(/^HTTP\/1\.1 403 /);
  expect(text.endsWith(`\r\n\r\n${reply}`)).toBe(true);
});
