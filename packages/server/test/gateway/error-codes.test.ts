import type { Socket } from 'node:net';
import { expect, it } from 'vitest';
import { begin, send, startGateway, startRawService, toService } from './support/start-gateway.ts';

const HELLO = '/v1/cloudrun/hello';
const VERSION = { name: 'v1', weight: 1, endpoints: ['http://[::1]:1'] };

it.each<[string, number, Parameters<typeof toService>[1], path?: string]>([
  ['SERVICE_NOT_FOUND', 404, {}, '/v1/cloudrun/other'],
  ['SERVICE_FORBIDDEN', 403, { state: 'forbidden' }],
  ['SERVICE_FORBIDDEN', 403, { callers: ['bob'] }],
  ['SERVICE_CHARGE_OVERDUE', 402, { state: 'overdue' }],
  ['SERVICE_NOT_READY', 503, { state: 'not-ready' }],
  ['SERVICE_RESOURCE_NOT_FOUND', 404, { state: 'resource-missing' }],
  ['SERVICE_VERSION_NOT_FOUND', 404, { versions: [] }],
  ['SERVICE_VERSION_NOT_FOUND', 404, { versions: [{ ...VERSION, weight: 0 }] }],
  ['SERVICE_ENDPOINT_NOT_FOUND', 503, { versions: [{ ...VERSION, endpoints: [] }] }],
])('responds to %s with %i for %j', async (code, status, change, path = HELLO) => {
  const { base } = await startGateway(toService([], change));
  const response = await send(base, path);
  expect(response).toMatchObject({ code, status });
  expect(response.headers['x-svc-upstream-status-code']).toBeUndefined();
  expect(response.headers['retry-after']).toBe(status === 503 ? '1' : undefined);
  expect(JSON.parse(response.text).requestId).toBe(response.headers['x-request-id']);
});

it.each([
  ['says nothing', '', ''],
  ['trickles its headers', 'HTTP/1.1 200 OK\r\n', 'X-A: 1\r\n'],
  ['sends only interim responses, for ever', '', 'HTTP/1.1 102 Processing\r\n\r\n'],
])(
  'responds with SERVICE_TIMEOUT if a service %s, and closes its connection',
  async (_what, first, next) => {
    let closed: Promise<void> | undefined;
    const { origin } = await startRawService((socket) => {
      socket.once('data', () => socket.resume().write(first));
      const timer = setInterval(() => socket.bytesRead > 0 && socket.write(next), 20);
      closed = new Promise((resolve) => socket.on('close', () => resolve()));
      socket.on('close', () => clearInterval(timer));
    });
    const { base, gateway } = await startGateway(toService([origin]), { headersSeconds: 0.2 });
    expect(await send(base, HELLO)).toMatchObject({ code: 'SERVICE_TIMEOUT', status: 504 });
    await closed;
    expect(gateway.stats()).toMatchObject({ activeCalls: 0, idle: 0 });
  },
);

const sending = (rest: string) => (socket: Socket) => socket.write(`HTTP/1.1 200 OK\r\n${rest}`);

it.each([
  ['resets', (socket: Socket) => socket.resetAndDestroy()],
  ['closes immediately', (socket: Socket) => socket.end()],
  ['sends garbage', (socket: Socket) => socket.end('SSH-2.0-OpenSSH_9.2\r\n')],
  ['sends half a head', (socket: Socket) => socket.end('HTTP/1.1 200 OK\r\nA: b\r\n')],
  ['sends a status below 100', (socket: Socket) => socket.end('HTTP/1.1 099 No\r\n\r\n')],
  [
    'sends a status beyond 599',
    (socket: Socket) => socket.end('HTTP/1.1 600 No\r\nContent-Length: 0\r\n\r\n'),
  ],
  [
    'switches protocols without being asked to',
    (socket: Socket) =>
      socket.write('HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n'),
  ],
  [
    'sends 101 and no protocol',
    (socket: Socket) => socket.write('HTTP/1.1 101 Switching Protocols\r\n\r\n'),
  ],
  [
    'sends endless headers',
    (socket: Socket) => socket.write(`HTTP/1.1 200 OK\r\nX-A: ${'a'.repeat(100_000)}`),
  ],
  ['sends CL and TE', sending('Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n')],
  ['sends two lengths', sending('Content-Length: 3\r\nContent-Length: 4\r\n\r\nabcd')],
  ['sends a NUL', sending('Content-Length: 0\r\nX: a\x00b\r\n\r\n')],
  ['sends a bare CR', sending('Content-Length: 0\r\nX: a\rSet-Cookie: b\r\n\r\n')],
  ['sends a spaced name', sending('Content-Length : 0\r\n\r\n')],
])('responds with BAD_GATEWAY if a service %s', async (_what, act) => {
  const { origin } = await startRawService((socket) => socket.once('data', () => act(socket)));
  const { base, gateway } = await startGateway(toService([origin]));
  expect(await send(base, HELLO)).toMatchObject({ code: 'BAD_GATEWAY', status: 502 });
  expect(await send(base, HELLO, { method: 'POST', body: 'x' })).toMatchObject({
    code: 'BAD_GATEWAY',
  });
  expect(gateway.stats().activeCalls).toBe(0);
});

it.each([
  ['Content-Length: 100', 'abc'],
  ['Transfer-Encoding: chunked', '3\r\nabc\r\n'],
  ['Transfer-Encoding: chunked', '3\r\nabc\r\nzz\r\n'],
])('destroys the connection if a body with %s is truncated after %j', async (header, part) => {
  const { origin } = await startRawService((socket) => {
    socket.once('data', () => socket.end(`HTTP/1.1 200 OK\r\n${header}\r\n\r\n${part}`));
  });
  const { base } = await startGateway(toService([origin]));
  const read = async () => {
    let text = '';
    for await (const chunk of await begin(base, HELLO)) text += chunk;
    return text;
  };
  await expect(read()).rejects.toThrow();
});

it('never mistakes surplus bytes from a service for the next response', async () => {
  let calls = 0;
  const { origin } = await startRawService((socket) => {
    socket.on('data', () => {
      calls += 1;
      const poison = 'HTTP/1.1 200 OK\r\nContent-Length: 8\r\n\r\npoisoned';
      socket.write(`HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok${calls === 1 ? poison : ''}`);
    });
  });
  const { base } = await startGateway(toService([origin]));
  for (let time = 0; time < 3; time += 1) {
    expect(await send(base, HELLO)).toMatchObject({ text: 'ok' });
  }
});

it('names the endpoint and the cause of a failed call for the log', async () => {
  const errors: unknown[] = [];
  const onResponse = (_response: unknown, _call: unknown, error: unknown) =>
    void errors.push(error);
  const { base } = await startGateway(toService(['http://127.0.0.1:1']), {}, { onResponse });
  await send(base, HELLO);
  expect(errors[0]).toMatchObject({
    code: 'SERVICE_LB_STATUS_ABNORMAL',
    cause: { endpoint: 'http://127.0.0.1:1', message: 'ECONNREFUSED 127.0.0.1:1' },
  });
});
