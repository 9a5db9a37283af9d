import { once } from 'node:events';
import { signStorageRequest } from '@berth/server-stubs/engine/node';
import { expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { startService } from './support/hosted-service.ts';
import { startServer } from './support/start-server.ts';

const KEY = 'the key of links and grants, longer than 32';
interface Grants {
  readonly data: Record<'authorization' | 'token' | 'storeFileID' | 'url' | 'fileID', string> & {
    readonly fileList: readonly { readonly tempFileURL: string }[];
  };
}

const PAIR = { id: 'me', secret: 'the-secret-of-me', token: 'the-session-of-me' };

test('the log of a complete run has no secret, and nothing else is missing', async () => {
  const origin = await startService((_, response) => {
    response.setHeader('set-cookie', 'session=the-cookie-of-the-service');
    response.statusCode = 503;
    response.end('no');
  });
  const { url, token, call, lines, server, config } = await startServer(
    { log: { level: 'trace', calls: true }, keys: [{ secret: KEY }] },
    { services: { hello: { endpoints: [origin] } }, credentials: [PAIR] },
  );
  const timestamp = Math.floor(Date.now() / 1000);
  const signed = signStorageRequest(PAIR, { timestamp });
  const storage = async (operation: string, body: object) => {
    const response = await fetch(`${url}/api/v2/envs/dev/storages:${operation}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', cookie: 'session=my-cookie', ...signed },
      body: JSON.stringify(body),
    });
    return ((await response.json()) as { body: Grants }).body;
  };
  const { data: grant } = await storage('getUploadMetaData', { path: 'a.txt' });
  const form = new FormData();
  form.set('Signature', grant.authorization);
  form.set('x-store-security-token', grant.token);
  form.set('x-store-meta-fileid', grant.storeFileID);
  form.set('key', 'a.txt');
  form.set('file', new Blob(['a']), 'a.txt');
  expect((await fetch(grant.url, { method: 'POST', body: form })).status).toBe(204);
  const { data } = await storage('batchGetTempUrls', { fileList: [{ fileID: grant.fileID }] });
  const link = new URL(data.fileList[0]?.tempFileURL as string);
  expect(await (await fetch(link)).text()).toBe('a');
  const forged = new URL(link);
  forged.searchParams.set('expires', '1');
  expect((await fetch(forged)).status).toBe(403);

  expect(
    (await call('/x?password=in-the-query', { headers: { cookie: 'session=my-cookie' } })).status,
  ).toBe(503);
  const bad = `${token.slice(0, -4)}AAAA`;
  expect((await call('', { headers: { authorization: `Bearer ${bad}` } })).status).toBe(401);
  const socket = new WebSocket(`${url.replace('http', 'ws')}/v1/cloudrun/hello`, [
    `berth.bearer.${bad}`,
  ]);
  await once(socket, 'unexpected-response').then(([request]) => request.destroy());
  await server.reload({ ...config, keys: [{ secret: `${KEY} 2` }, { secret: KEY }] });

  const log = JSON.stringify(lines);
  const signature = /Signature=(\w+)/.exec(signed['X-Svc-Authorization'] as string)?.[1];
  for (const secret of [
    ...[KEY, PAIR.secret, PAIR.token, token, bad, token.split('.')[2], bad.split('.')[2]],
    ...[signature, grant.authorization, grant.token, link.searchParams.get('sign')],
    ...['my-cookie', 'the-cookie-of-the-service', 'in-the-query'],
  ]) {
    expect(secret).toMatch(/.{6}/);
    expect(log).not.toContain(secret);
  }
  for (const said of [
    '"operation":"uploadFile"',
    '"operation":"download"',
    '"path":"/v1/cloudrun/hello/x"',
    '"path":"/upload"',
    '"caller":"me"',
    '"audit":true',
  ]) {
    expect(log.replaceAll('\\', '')).toContain(said);
  }
  for (const { msg, requestId } of lines) {
    if (/^call|^file/.test(msg)) expect(requestId).toMatch(/^[\da-f-]{36}$/);
  }
});
