import { afterAll, expect, test } from 'vitest';
import { createMock, type Mock } from '../src/index.ts';
import { startSocketService } from './services/start-socket-service.ts';

const SESSION = 'worker 1 (ä)';
const PROTOCOL = 'mock.session.worker%201%20%28%C3%A4%29';
const TOKEN = 'berth.bearer.any';

const service = await startSocketService();
const mock = await createMock({ services: { real: { proxy: service.url } } });
afterAll(async () => {
  await mock.close();
  service.close();
});

const toAddress = ({ url }: Mock, path: string) =>
  `${url.replace('http', 'ws')}/v1/cloudrun/${path}`;
const lastOf = (of: Mock, session?: string) => of.session(session).requests().at(-1);

/** Opens a WebSocket as pages do, without headers; resolves with the subprotocol that was chosen. */
async function open(of: Mock, path: string, protocols: string[]): Promise<string> {
  const socket = new WebSocket(toAddress(of, path), protocols);
  const opened = Promise.withResolvers<string>();
  socket.onopen = () => opened.resolve(socket.protocol);
  socket.onclose = () => opened.reject(new Error('The WebSocket did not open.'));
  try {
    return await opened.promise;
  } finally {
    socket.close();
  }
}

test('a WebSocket without headers belongs to the session that its subprotocol names', async () => {
  expect(await open(mock, 'echo', ['chat', PROTOCOL, TOKEN])).toBe('chat');
  expect(lastOf(mock, SESSION)).toMatchObject({ service: 'echo', matched: true });
  expect(lastOf(mock, SESSION)?.request.headers['sec-websocket-protocol']).toBe('chat');
  expect(lastOf(mock)).toBeUndefined();
});

test('the service sees nothing of it', async () => {
  const arrived = service.next();
  await open(mock, 'real/a?session=its-own', [PROTOCOL, 'chat', TOKEN]);
  const { headers, url } = (await arrived).request;
  expect([headers['sec-websocket-protocol'], url]).toEqual(['chat', '/a?session=its-own']);
  expect(headers).not.toHaveProperty('x-mock-session');
});
