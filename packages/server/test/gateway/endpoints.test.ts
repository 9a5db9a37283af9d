import { readFile } from 'node:fs/promises';
import { createServer } from 'node:https';
import { expect, it } from 'vitest';
import { startListening } from '../server/support/hosted-service.ts';
import { makeCertificate, trust } from '../server/support/make-certificate.ts';
import { serving, startServer } from '../server/support/start-server.ts';

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
