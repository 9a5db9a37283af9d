import { once } from 'node:events';
import { copyFile } from 'node:fs/promises';
import { createConnection } from 'node:net';
import { connect } from 'node:tls';
import { expect, test } from 'vitest';
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
  const { url } = await startServer({ listen: { port: 0, tls, headersSeconds: 1 } });
  const socket = createConnection(Number(new URL(url).port), '127.0.0.1');
  // As a client that reads nothing and never closes: `end` of the server would wait for it.
  socket.on('error', () => {});
  if (text !== '') socket.write(text);
  await once(socket.resume(), 'close');
});

test('names the setting of a key instead of a certificate, and of a mismatched key', async () => {
  const { cert } = await makeCertificate('first');
  const { key } = await makeCertificate('second');
  const start = (tls: { cert: string; key: string }) => startServer({ listen: { port: 0, tls } });
  await expect(start({ cert: key, key })).rejects.toThrow(
    'listen.tls.cert must be the path of a PEM file with a certificate',
  );
  await expect(start({ cert, key: cert })).rejects.toThrow(
    'listen.tls.key must be the path of a PEM file with a private key',
  );
  await expect(start({ cert, key })).rejects.toThrow(
    'listen.tls must contain a certificate and its private key',
  );
});
