import { readFile } from 'node:fs/promises';
import { createServer } from 'node:https';
import type { Socket } from 'node:net';
import { expect, it } from 'vitest';
import { startListening, startRawService } from '../server/support/hosted-service.ts';
import { makeCertificate, trust } from '../server/support/make-certificate.ts';
import { serving, startServer } from '../server/support/start-server.ts';
import { sendRaw } from '../support/send-raw.ts';

it.each([
  ['SERVICE_FORBIDDEN', 403, { endpoints: [], state: 'forbidden' as const }],
  ['SERVICE_FORBIDDEN', 403, { endpoints: [], callers: ['bob'] }],
  ['SERVICE_CHARGE_OVERDUE', 402, { endpoints: [], state: 'overdue' as const }],
  ['SERVICE_NOT_READY', 503, { endpoints: [], state: 'not-ready' as const }],
  ['SERVICE_RESOURCE_NOT_FOUND', 404, { endpoints: [], state: 'resource-missing' as const }],
  ['SERVICE_VERSION_NOT_FOUND', 404, { versions: [] }],
  ['SERVICE_VERSION_NOT_FOUND', 404, { versions: [{ name: 'v1', weight: 0 }] }],
  ['SERVICE_ENDPOINT_NOT_FOUND', 503, { versions: [{ name: 'v1', endpoints: [] }] }],
])('responds with %s and %i for %j', async (code, status, hello) => {
  const { send } = await startServer({}, { services: { hello } });
  expect(await send()).toMatchObject({ code, status });
});

it.each([
  ['says nothing', '', ''],
  ['trickles its headers', 'HTTP/1.1 200 OK\r\n', 'X-A: 1\r\n'],
  ['sends only interim responses, for ever', '', 'HTTP/1.1 102 Processing\r\n\r\n'],
])('responds with SERVICE_TIMEOUT if a service %s', async (_what, first, next) => {
  const { promise: closed, resolve } = Promise.withResolvers<void>();
  const origin = await startRawService((socket) => {
    socket.once('data', () => socket.resume().write(first));
    const timer = setInterval(() => socket.bytesRead > 0 && socket.write(next), 20);
    socket.on('close', () => resolve(clearInterval(timer)));
  });
  const hello = { endpoints: [origin], headersSeconds: 0.2 };
  const { send, metric } = await startServer({}, { services: { hello } });
  expect(await send()).toMatchObject({ code: 'SERVICE_TIMEOUT', status: 504 });
  await closed;
  expect(await metric('berth_service_calls_active')).toBe(0);
});

const LONG = `HTTP/1.1 200 OK\r\nX-A: ${'a'.repeat(100_000)}`;

/** A server in front of a service that does this once it has a request. */
async function startActing(act: (socket: Socket) => void) {
  const origin = await startRawService((socket) => socket.once('data', () => act(socket)));
  return startServer({}, serving(origin));
}

it.each([
  ['resets', (socket: Socket) => socket.resetAndDestroy()],
  ['sends endless headers', (socket: Socket) => socket.write(LONG)],
])('responds with BAD_GATEWAY if a service %s', async (_what, act) => {
  const { send, metric } = await startActing(act);
  for (const method of ['GET', 'POST']) {
    expect(await send({ method })).toMatchObject({ code: 'BAD_GATEWAY', status: 502 });
  }
  expect(await metric('berth_service_calls_active')).toBe(0);
});

it('logs and counts a response that the service cuts short', async () => {
  const origin = await startRawService((socket) => {
    socket.once('data', () =>
      socket.end('HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n0123456789'),
    );
  });
  const hello = { versions: [{ name: 'v1', endpoints: [origin] }] };
  const { call, lines, metrics } = await startServer({}, { services: { hello } });
  await expect(call().then((response) => response.text())).rejects.toThrow();
  await expect.poll(metrics).toMatch(/^berth_calls_total\{.*status="aborted",code="BAD_GATEWAY"/m);
  const failed = { msg: 'call failed', status: 200, code: 'BAD_GATEWAY', version: 'v1' };
  const logged = { ...failed, endpoint: origin, cause: 'other side closed' };
  expect(lines).toContainEqual(expect.objectContaining(logged));
});

const OK = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok';
const CHUNKED =
  'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTrailer: X-Sum\r\n\r\n2\r\nok\r\n0\r\nX-Sum: 7\r\n\r\n';
const SWITCH = 'HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n';

it.each<[what: string, bytes: string, status: number]>([
  ['garbage', 'SSH-2.0-OpenSSH_9.2\r\n', 502],
  ['a status below 100', OK.replace('200', '099'), 502],
  ['a status beyond 599', OK.replace('200', '600'), 502],
  ['another protocol, unasked', SWITCH, 502],
  ['a 101 and no protocol', 'HTTP/1.1 101 Switching Protocols\r\n\r\n', 502],
  ['a 100 that nobody asked for', `HTTP/1.1 100 Continue\r\n\r\n${OK}`, 502],
  ['an unknown coding', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: xz\r\n\r\nok', 502],
  ['a coding after chunks', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked, xz\r\n\r\nok', 502],
  ['a coding before chunks', CHUNKED.replace('chunked', 'gzip, chunked'), 502],
  ['an early hint', `HTTP/1.1 103 Early Hints\r\nLink: </a.css>; rel=preload\r\n\r\n${OK}`, 200],
  ['an interim response', `HTTP/1.1 102 Processing\r\n\r\n${OK}`, 200],
  ['HTTP/1.0', 'HTTP/1.0 200 OK\r\n\r\nok', 200],
  ['an unknown status', OK.replace('200 OK', '299 Fine'), 299],
  ['no reason', OK.replace('200 OK', '200 '), 200],
  ['a long header', OK.replace('\r\n', `\r\nX-Long: ${'a'.repeat(12_000)}\r\n`), 200],
  ['trailers', CHUNKED, 200],
  ['a 204 with a length', 'HTTP/1.1 204 No Content\r\nContent-Length: 0\r\n\r\n', 204],
  ['a 204 in chunks', 'HTTP/1.1 204 No Content\r\nTransfer-Encoding: chunked\r\n\r\n', 204],
  ['a 204 with a body', 'HTTP/1.1 204 No Content\r\nContent-Length: 2\r\n\r\nok', 204],
  ['a 304 with a length', 'HTTP/1.1 304 Not Modified\r\nContent-Length: 1234\r\n\r\n', 304],
])('responds to a service that sends %s', async (_what, bytes, status) => {
  const { port, toGet } = await startActing((socket) => socket.end(bytes, 'latin1'));
  const text = await sendRaw(port, toGet('Connection: close\r\n'));
  const [head = '', ...body] = text.split('\r\n\r\n');
  expect(head).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
  expect(head).not.toMatch(/x-sum|trailer/i);
  if (status === 502) expect(body[0]).toContain('BAD_GATEWAY');
  else if (status === 204 || status === 304) expect(body).toEqual(['']);
  else expect(body[0]).toMatch(/^(?:2\r\n)?ok/);
  if (status === 204) expect(head).not.toMatch(/content-length|transfer-encoding/i);
});

it.each([
  ['Content-Length: 100', 'abc'],
  ['Transfer-Encoding: chunked', '3\r\nabc\r\n'],
  ['Transfer-Encoding: chunked', '3\r\nabc\r\nzz\r\n'],
])('destroys the connection if a body with %s is truncated after %j', async (header, part) => {
  const { begin } = await startActing((socket) => {
    socket.end(`HTTP/1.1 200 OK\r\n${header}\r\n\r\n${part}`);
  });
  await expect((await begin()).toArray()).rejects.toThrow();
});

it('never mistakes surplus bytes from a service for the next response', async () => {
  let calls = 0;
  const origin = await startRawService((socket) => {
    socket.on('data', () => {
      calls += 1;
      socket.write(calls === 1 ? OK + OK.replace('ok', 'no') : OK);
    });
  });
  const { send } = await startServer({}, serving(origin));
  for (let time = 0; time < 3; time += 1) expect(await send()).toMatchObject({ text: 'ok' });
});

it('logs version, endpoint and cause of a failed call, and does not reveal them', async () => {
  const endpoint = 'http://127.0.0.1:1';
  const hello = { versions: [{ name: 'canary', endpoints: [endpoint] }] };
  const { send, lines } = await startServer({}, { services: { hello } });
  const code = 'SERVICE_LB_STATUS_ABNORMAL';
  expect(await send()).toMatchObject({ code, text: expect.not.stringContaining('127.0.0.1') });
  const cause = 'ECONNREFUSED 127.0.0.1:1';
  await expect.poll(() => lines.at(-1)).toMatchObject({ version: 'canary', code, endpoint, cause });
});

it('sends nothing to a service whose certificate is not trusted, or has another name', async () => {
  const { key, cert } = await makeCertificate('localhost');
  const pem = { key: await readFile(key), cert: await readFile(cert) };
  const server = createServer(pem, (request, response) => response.end(request.headers.host));
  const { port } = new URL(await startListening(server));
  const call = async (host: string) => {
    const { send } = await startServer({}, serving(`https://${host}:${port}`));
    return send();
  };
  expect(await call('localhost')).toMatchObject({ code: 'SERVICE_LB_STATUS_ABNORMAL' });
  await trust(cert);
  expect(await call('localhost')).toMatchObject({ text: `localhost:${port}` });
  expect(await call('127.0.0.1')).toMatchObject({ code: 'SERVICE_LB_STATUS_ABNORMAL' });
});
