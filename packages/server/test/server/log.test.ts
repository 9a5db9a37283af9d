import { once } from 'node:events';
import { expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { startDeployment } from '../attacks/support/start-deployment.ts';
import { createStorageClient, post } from '../attacks/support/storage-client.ts';
import { sendRaw } from '../support/send-raw.ts';
import { startService } from './support/hosted-service.ts';
import { serving, startServer } from './support/start-server.ts';

const KEY = 'the key of links and grants, longer than 32';
const PAIR = { id: 'me', secret: 'the-secret-of-me', token: 'the-session-of-me' };

test('the log of a complete run has no secret, and nothing else is missing', async () => {
  const origin = await startService((_, response) => {
    response.writeHead(503, { 'set-cookie': 'session=the-cookie-of-the-service' }).end('no');
  });
  const { url, token, call, lines, server, config } = await startServer(
    { log: { calls: true }, keys: [{ secret: KEY }] },
    { ...serving(origin), credentials: [PAIR] },
  );
  const storage = createStorageClient(url, PAIR);
  const signed = storage.sign();
  const grant = await storage.grant('a.txt');
  expect((await post(grant, 'a.txt', 'a')).status).toBe(204);
  const link = new URL(await storage.link('a.txt'));
  expect(await (await fetch(link)).text()).toBe('a');
  const forged = new URL(link);
  forged.searchParams.set('expires', '1');
  expect((await fetch(forged)).status).toBe(403);

  const headers = { cookie: 'session=my-cookie' };
  expect((await call('/x?password=in-the-query', { headers })).status).toBe(503);
  const bad = `${token.slice(0, -4)}AAAA`;
  expect((await call('', { headers: { authorization: `Bearer ${bad}` } })).status).toBe(401);
  const socket = new WebSocket(`${url}/v1/cloudrun/hello`, [`berth.bearer.${bad}`]);
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
  const fields = { operation: 'uploadFile', path: '/upload', caller: 'me', audit: true };
  for (const [name, value] of Object.entries(fields)) {
    expect(lines).toContainEqual(expect.objectContaining({ [name]: value }));
  }
  for (const { msg, requestId } of lines) {
    if (/^call|^file/.test(msg)) expect(requestId).toMatch(/^[\da-f-]{36}$/);
  }
});

const FORGED = '{"level":"fatal","msg":"forged"}';
const INJECTED = ['\r\n', '\u2028', '\u0085', '\x1b[2J\x1b[31m', '\x7f'];

test('no text of a caller starts a line of the log, or reaches a terminal', async () => {
  const started = await startDeployment({ log: { calls: true } });
  const { dev, port, lines, written, url, call, mint } = started;
  for (const evil of INJECTED) {
    const text = `a${evil}${FORGED}`;
    const encoded = encodeURIComponent(text);
    await fetch(`${url}/v1/cloudrun/${encoded}`);
    const authorization = `Bearer ${await mint(text)}`;
    expect((await call('', { headers: { authorization } })).status).toBe(200);
    await fetch(`${url}/files/dev/files/${encoded}?sign=${encoded}`);
    await dev.call('getUploadMetaData', { path: text });
    await dev.call('batchDelete', { fileList: [text] });
    // An upload has its own log line; a path with control characters gets no grant.
    await dev.upload(`${evil}${FORGED}`, 'a').catch(() => {});
    const meta = await dev.grant('b.txt');
    await post(meta, text, 'a');
    const line = text.replace(/[\r\n]/g, '');
    const head = `Host: ${line}\r\nX-Request-Id: ${FORGED}\r\nConnection: close\r\n\r\n`;
    await sendRaw(port, Buffer.from(`GET /v1/${line} HTTP/1.1\r\n${head}`));
  }
  expect(lines.length).toBeGreaterThan(10);
  expect(lines.filter(({ msg, level }) => msg === 'forged' || level === 'fatal')).toEqual([]);
  for (const line of written) expect(line).toMatch(/^[^\p{Cc}\p{Zl}\p{Zp}]*\n$/u);
});
