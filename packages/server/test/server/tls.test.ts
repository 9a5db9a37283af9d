import { once } from 'node:events';
import { copyFile } from 'node:fs/promises';
import { get } from 'node:https';
import { createConnection } from 'node:net';
import { text } from 'node:stream/consumers';
import { connect } from 'node:tls';
import { expect, test } from 'vitest';
import { startService } from './support/hosted-service.ts';
import { makeCertificate } from './support/make-certificate.ts';
import { startServer } from './support/start-server.ts';

async function nameOf(url: string): Promise<string> {
  const socket = connect({
    port: Number(new URL(url).port),
    host: '127.0.0.1',
    rejectUnauthorized: false,
  });
  await once(socket, 'secureConnect');
  const { subject } = socket.getPeerCertificate();
  socket.destroy();
  return String(subject.CN);
}

test('serves HTTPS, and applies a new certificate', async () => {
  const tls = await makeCertificate('first');
  const second = await makeCertificate('second');
  const { server, config, url, lines } = await startServer({ listen: { port: 0, tls } });
  expect(url).toMatch(/^https:/);
  expect(await nameOf(url)).toBe('first');
  await copyFile(second.key, tls.key);
  await copyFile(second.cert, tls.cert);
  expect(await server.reload(config)).toEqual([]);
  expect(await nameOf(url)).toBe('second');
  expect(JSON.stringify(lines)).not.toContain('PRIVATE KEY');
});

test.each([
  ['sends nothing', ''],
  ['does not use TLS', 'GET / HTTP/1.1\r\n\r\n'],
])('a connection that %s is closed', async (_, text) => {
  const tls = await makeCertificate('first');
  const { url } = await startServer({ listen: { port: 0, tls, headersSeconds: 0.1 } });
  const socket = createConnection(Number(new URL(url).port), '127.0.0.1');
  // As a client that reads nothing and never closes: `end` of the server would wait for it.
  socket.on('error', () => {});
  if (text !== '') socket.write(text);
  await once(socket.resume(), 'close');
});

test('a call in flight finishes while the server drains', async () => {
  const { resolve: finish, promise: finished } = Promise.withResolvers<void>();
  const origin = await startService(async (_, response) => {
    response.write('begun ');
    await finished;
    response.end('ended');
  });
  const tls = await makeCertificate('first');
  const listen = { port: 0, tls, shutdownSeconds: 60 };
  const services = { hello: { endpoints: [origin] } };
  const { server, url, token } = await startServer({ listen }, { services });
  const address = { port: Number(new URL(url).port), host: '127.0.0.1' };
  const options = { ...address, rejectUnauthorized: false };
  const idle = connect(options);
  await once(idle.resume(), 'secureConnect');
  const headers = { authorization: `Bearer ${token}` };
  const sent = get({ ...options, path: '/v1/cloudrun/hello', headers });
  const [response] = await once(sent, 'response');
  const closed = server.close();
  // It is closed only after other connections had the time to send a request.
  await once(idle, 'close');
  finish();
  expect(await text(response)).toBe('begun ended');
  await closed;
});
