import { once } from 'node:events';
import { connect } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import WebSocket, { type RawData } from 'ws';
import type { FakeSocket } from '../../src/services/fake-service.ts';
import type { ServiceFault } from '../../src/services/services.ts';
import { askForWebSocket, toHandshake } from '../helpers/handshake.ts';
import { AUTH, get, type Started, startServices } from './start-services.ts';

const faults: ServiceFault[] = [];
let started: Started;
beforeAll(async () => {
  started = await startServices(
    {
      chat: {
        routes: {
          'WS /echo': { webSocket: echo },
          'WS /chat': {
            protocols: ['chat', 'json'],
            webSocket: (socket) => socket.close(4_001, 'over'),
          },
          'WS /silent': { webSocket: (socket) => socket.send('a') },
          'WS /flood': { webSocket: (socket) => flood(socket.send) },
          'WS /hears': { webSocket: () => new Promise(() => {}) },
          'WS /rooms/{id}': ({ params, query }) => ({
            webSocket: (socket) => socket.send(`${params.id} ${query.get('x')}`),
          }),
          'WS /private': () => ({ status: 403, json: { no: true } }),
          'WS /throws': {
            webSocket: () => {
              throw new Error('broken');
            },
          },
          'GET /plain': { json: 'plain' },
          'GET /slow': () => new Promise<never>(() => {}),
        },
      },
    },
    { onFault: (fault) => faults.push(fault) },
  );
});
afterAll(() => started[Symbol.asyncDispose]());

async function echo(socket: FakeSocket): Promise<void> {
  for await (const message of socket) await socket.send(message);
}

let sent = 0;
async function flood(send: (text: string) => Promise<void>): Promise<void> {
  for (;;) {
    await send('x'.repeat(10_000));
    sent += 1;
  }
}

function open(path: string, protocols: string[] = []) {
  const address = `ws://127.0.0.1:${started.port}/v1/cloudrun/chat/${path}`;
  const socket = new WebSocket(address, protocols, { headers: AUTH });
  const messages: (string | Buffer)[] = [];
  let wake = () => {};
  socket.on('error', () => wake());
  socket.on('message', (data: RawData, isBinary) => {
    messages.push(isBinary ? (data as Buffer) : String(data));
    wake();
  });
  return {
    socket,
    closed: once(socket, 'close').then(([code, reason]) => ({ code, reason: String(reason) })),
    async next() {
      while (messages.length === 0) {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
      return messages.shift();
    },
  };
}

const refusal = (path: string) => askForWebSocket(`${started.url}/v1/cloudrun/chat/${path}`);

describe('a socket', () => {
  test('is closed with a code and a reason, and selects a supported protocol', async () => {
    const { socket, closed } = open('chat', ['json', 'chat']);
    expect(await closed).toEqual({ code: 4_001, reason: 'over' });
    expect(socket.protocol).toBe('chat');
  });

  test('echoes text and bytes, and selects the first protocol that is offered', async () => {
    const { socket, next, closed } = open('echo', ['own', 'other']);
    await once(socket, 'open');
    expect(socket.protocol).toBe('own');
    socket.send('中');
    socket.send(Buffer.from([0, 255]));
    expect([await next(), await next()]).toEqual(['中', Buffer.from([0, 255])]);
    socket.close(4_002, 'mine');
    expect((await closed).code).toBe(4_002);
  });
});

describe('a function', () => {
  test('may refuse with a response', async () => {
    const { statusCode, headers } = await refusal('private');
    expect([statusCode, headers['x-svc-upstream-status-code']]).toEqual([403, '403']);
  });

  test('that throws closes with 1011 and is reported', async () => {
    faults.length = 0;
    expect((await open('throws').closed).code).toBe(1_011);
    expect(faults[0]?.message).toBe('WS /throws of the service chat failed: Error: broken');
  });

  test('gets backpressure from a caller that does not read', async () => {
    const { socket } = open('flood');
    await once(socket, 'open');
    socket.pause();
    let before = -1;
    for (let still = 0; still < 5; still = sent === before ? still + 1 : 0) {
      before = sent;
      await get(started, 'chat/plain');
    }
    expect(sent * 10_000).toBeLessThan(32 * 1024 * 1024);
    socket.terminate();
  });
});

describe('the handshake', () => {
  test('on another route is handled like a call', async () => {
    expect((await refusal('plain')).statusCode).toBe(200);
    expect((await refusal('nowhere')).statusCode).toBe(404);
  });

  test('is required if the route is a WebSocket', async () => {
    expect((await get(started, 'chat/echo')).status).toBe(426);
  });
});

test('ends a connection that asks for a WebSocket behind a call that is under way', async () => {
  const socket = connect(started.port, '127.0.0.1');
  const slow = `GET /v1/cloudrun/chat/slow HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer any\r\n\r\n`;
  socket.write(slow + toHandshake('/v1/cloudrun/chat/echo'));
  expect((await buffer(socket)).toString()).toBe('');
});
