import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { startWhole, type Whole } from './support/start-whole.ts';

/** Calls the service of the environment that `Host` names. */
async function callHost({ port }: Whole, host: string, headers: Record<string, string>) {
  const path = '/v1/cloudrun/hello';
  const sent = request({ host: '127.0.0.1', port, path, headers: { ...headers, host } }).end();
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  return { status: response.statusCode, text: await text(response) };
}

test('no forwarded header chooses the environment', async () => {
  const whole = await startWhole({ listen: { port: 0, trustProxy: true } });
  const authorization = `Bearer ${await whole.token('dev')}`;
  const names = ['x-forwarded-host', 'forwarded', 'x-host', 'x-original-host', 'x-berth-env'];
  for (const name of names) {
    const forged = {
      authorization,
      [name]: name === 'forwarded' ? 'host=qa.localhost' : 'qa.localhost',
    };
    expect(await callHost(whole, 'dev.localhost', forged)).toEqual({ status: 200, text: 'dev' });
  }
});
