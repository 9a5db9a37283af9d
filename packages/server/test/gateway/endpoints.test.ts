import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:https';
import { type AddressInfo, connect } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { makeCertificate, trust } from '../server/support/make-certificate.ts';
import { HANDSHAKE } from '../support/send-raw.ts';
import { BEARER, send, startGateway, startService, toService } from './support/start-gateway.ts';

const HELLO = '/v1/cloudrun/hello';

async function startSecure(name: string) {
  const { key, cert } = await makeCertificate(name);
  const pem = { key: await readFile(key), cert: await readFile(cert) };
  const server = createServer(pem, (request, response) => response.end(request.headers.host));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { port: (server.address() as AddressInfo).port, cert };
}

it('calls a service by the name of its certificate', async () => {
  const { port, cert } = await startSecure('localhost');
  await trust(cert);
  const { base } = await startGateway([toService([`https://localhost:${port}`])]);
  expect(await send(base, HELLO)).toMatchObject({ text: `localhost:${port}` });
});

it('sends nothing to a service whose certificate has another name, or is not trusted', async () => {
  const { port, cert } = await startSecure('localhost');
  const untrusted = await startGateway([toService([`https://localhost:${port}`])]);
  expect(await send(untrusted.base, HELLO)).toMatchObject({ code: 'SERVICE_LB_STATUS_ABNORMAL' });
  await trust(cert);
  const { base } = await startGateway([toService([`https://127.0.0.1:${port}`])]);
  expect(await send(base, HELLO)).toMatchObject({ code: 'SERVICE_LB_STATUS_ABNORMAL' });
});

it('keeps no connection of a WebSocket that a service has refused', async () => {
  let open = 0;
  const { origin, server } = await startService((_request, response) => response.end('no'));
  server.on('upgrade', (_request, socket) => {
    socket.resume().on('end', () => socket.end());
    socket.write('HTTP/1.1 403 Forbidden\r\nContent-Length: 2\r\n\r\nno');
  });
  server.on('connection', (socket) => {
    open += 1;
    socket.on('close', () => {
      open -= 1;
    });
  });
  const { port, gateway } = await startGateway([toService([origin])]);
  for (let time = 0; time < 20; time += 1) {
    const socket = connect(port, '127.0.0.1');
    socket.write(
      `GET ${HELLO} HTTP/1.1\r\nHost: dev\r\nAuthorization: ${BEARER}\r\n${HANDSHAKE}\r\n`,
    );
    const [chunk] = await once(socket, 'data');
    expect(String(chunk)).toMatch(/^HTTP\/1\.1 403 /);
    await once(socket.resume(), 'close');
  }
  expect(gateway.stats().endpoints[0]).toMatchObject({ outstanding: 0, idle: 0 });
  await expect.poll(() => open).toBe(0);
});
