import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { signGatewayRequest } from '@berth/server-stubs/engine/node';
import { expect, test } from 'vitest';
import { startWhole, type Whole } from './support/start-whole.ts';
import { StorageClient } from './support/storage-client.ts';

/** Calls the service of the environment that `Host` names. */
async function callHost({ port }: Whole, host: string, headers: Record<string, string>) {
  const path = '/v1/cloudrun/hello';
  const sent = request({ host: '127.0.0.1', port, path, headers: { ...headers, host } }).end();
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  return { status: response.statusCode, text: await text(response) };
}

const DIRECTIONS = [
  ['dev', 'qa'],
  ['qa', 'dev'],
] as const;

test.each(DIRECTIONS)('credentials of %s do not open the services of %s', async (own, other) => {
  const whole = await startWhole();
  const token = await whole.token(own);
  const bearer = { authorization: `Bearer ${token}` };
  expect(await callHost(whole, `${own}.localhost`, bearer)).toEqual({ status: 200, text: own });
  expect((await callHost(whole, `${other}.localhost`, bearer)).status).toBe(401);
  // Signed with the key of one, and claiming to be of the other.
  const lie = { authorization: `Bearer ${await whole.token(own, { env: other })}` };
  expect((await callHost(whole, `${other}.localhost`, lie)).status).toBe(401);
  expect((await callHost(whole, `${own}.localhost`, lie)).status).toBe(401);

  const sign = (host: string) => ({
    authorization: signGatewayRequest(whole[own].pair, {
      method: 'GET',
      target: '/v1/cloudrun/hello',
      headers: { host },
      timestamp: Math.floor(Date.now() / 1000),
    }),
  });
  const home = `${own}.localhost`;
  expect((await callHost(whole, home, sign(home))).status).toBe(200);
  expect((await callHost(whole, `${other}.localhost`, sign(home))).status).toBe(401);
  expect((await callHost(whole, `${other}.localhost`, sign(`${other}.localhost`))).status).toBe(
    401,
  );
  expect(whole.seen.map(({ env }) => env)).toEqual([own, own]);
});

const HOSTS = [
  'dev.localhost@qa.localhost',
  'qa.localhost, dev.localhost',
  'qa .localhost',
  'xn--dev.localhost',
  'dev\u3002localhost',
  '.dev.localhost',
  'dev-qa.localhost',
  '127.0.0.1',
  'localhost',
  '__proto__.localhost',
  'constructor.localhost',
  '',
];

test('other hosts are no environment', async () => {
  const whole = await startWhole();
  const authorization = `Bearer ${await whole.token('dev')}`;
  for (const host of HOSTS) {
    const sent = Buffer.from(host).toString('latin1');
    const { status = 0 } = await callHost(whole, sent, { authorization });
    expect([host, status >= 400 && status < 500]).toEqual([host, true]);
  }
  expect(whole.seen).toEqual([]);
});

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

test.each(DIRECTIONS)('the key pair of %s has no effect on the files of %s', async (own, other) => {
  const whole = await startWhole();
  await whole[other].upload('a.txt', other);
  const intruder = new StorageClient(whole.url, whole[own].pair, other);
  const bodies = {
    getUploadMetaData: { path: 'a.txt' },
    batchGetTempUrls: { fileList: [{ fileID: `cloud://${other}.files/a.txt` }] },
    batchDelete: { fileList: [`cloud://${other}.files/a.txt`] },
    batchCopyFile: { fileList: [{ srcPath: '/a.txt', dstPath: '/b.txt' }] },
  };
  for (const [operation, body] of Object.entries(bodies)) {
    const { status, data } = await intruder.call(operation, body);
    expect([operation, status, data]).toEqual([operation, 403, undefined]);
  }
  expect(await whole[other].read('a.txt')).toBe(other);
});

test.each(DIRECTIONS)('in %s a fileID of %s does not exist', async (own, other) => {
  const whole = await startWhole();
  await Promise.all([whole[own].upload('a.txt', own), whole[other].upload('a.txt', other)]);
  for (const fileID of [
    `cloud://${other}.files/a.txt`,
    `cloud://${own}.files/../${other}.files/a.txt`,
    `cloud://${own}.files@${other}.files/a.txt`,
    `cloud://${own}.${other}.files/a.txt`,
    // As long as its own, so that only the name differs.
    `cloud://${'x'.repeat(own.length)}.files/a.txt`,
    `cloud://${own}.filez/a.txt`,
    `CLOUD://${other}.files/a.txt`,
    `cloud:///${other}/a.txt`,
  ]) {
    const links = await whole[own].call('batchGetTempUrls', { fileList: [{ fileID }] });
    expect(links.data?.fileList[0]).toMatchObject({ code: 'STORAGE_FILE_NONEXIST' });
    const { data } = await whole[own].call('batchDelete', { fileList: [fileID] });
    expect(data?.fileList[0]?.code).toBe('STORAGE_FILE_NONEXIST');
  }
  expect(await whole[own].read('a.txt')).toBe(own);
  expect(await whole[other].read('a.txt')).toBe(other);
});
