import { readFile } from 'node:fs/promises';
import { createServer } from 'node:https';
import { expect, it, onTestFinished } from 'vitest';
import { listen } from '../../../../scripts/testing/listen.ts';
import { makeCertificate, trust } from '../server/support/make-certificate.ts';
import { send, startGateway, toService } from './support/start-gateway.ts';

const HELLO = '/v1/cloudrun/hello';

it('sends nothing to a service whose certificate is not trusted, or has another name', async () => {
  const { key, cert } = await makeCertificate('localhost');
  const pem = { key: await readFile(key), cert: await readFile(cert) };
  const server = createServer(pem, (request, response) => response.end(request.headers.host));
  const { port, close } = await listen(server);
  onTestFinished(close);
  const call = async (host: string) => {
    const { base } = await startGateway(toService([`https://${host}:${port}`]));
    return send(base, HELLO);
  };
  expect(await call('localhost')).toMatchObject({ code: 'SERVICE_LB_STATUS_ABNORMAL' });
  await trust(cert);
  expect(await call('localhost')).toMatchObject({ text: `localhost:${port}` });
  expect(await call('127.0.0.1')).toMatchObject({ code: 'SERVICE_LB_STATUS_ABNORMAL' });
});
