import { readFile } from 'node:fs/promises';
import { createServer } from 'node:https';
import { expect, it, onTestFinished } from 'vitest';
import { listen } from '../../../../scripts/testing/listen.ts';
import { makeCertificate, trust } from '../server/support/make-certificate.ts';
import { send, startGateway, toService } from './support/start-gateway.ts';

const HELLO = '/v1/cloudrun/hello';

async function startSecure(name: string) {
  const { key, cert } = await makeCertificate(name);
  const pem = { key: await readFile(key), cert: await readFile(cert) };
  const server = createServer(pem, (request, response) => response.end(request.headers.host));
  const { port, close } = await listen(server);
  onTestFinished(close);
  return { port, cert };
}

it('calls a service by the name of its certificate', async () => {
  const { port, cert } = await startSecure('localhost');
  await trust(cert);
  const { base } = await startGateway(toService([`https://localhost:${port}`]));
  expect(await send(base, HELLO)).toMatchObject({ text: `localhost:${port}` });
});

it('sends nothing to a service whose certificate has another name, or is not trusted', async () => {
  const { port, cert } = await startSecure('localhost');
  const untrusted = await startGateway(toService([`https://localhost:${port}`]));
  expect(await send(untrusted.base, HELLO)).toMatchObject({ code: 'SERVICE_LB_STATUS_ABNORMAL' });
  await trust(cert);
  const { base } = await startGateway(toService([`https://127.0.0.1:${port}`]));
  expect(await send(base, HELLO)).toMatchObject({ code: 'SERVICE_LB_STATUS_ABNORMAL' });
});
