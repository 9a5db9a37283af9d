import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { copyFile, open, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { connect } from 'node:tls';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { createStorageClient, post } from '../attacks/support/storage-client.ts';
import { Cli, startConfigured } from './support/cli.ts';
import { startService } from './support/hosted-service.ts';
import { makeCertificate } from './support/make-certificate.ts';
import { makeFolder, serving, startInFront, startServer } from './support/start-server.ts';

const KEY = 'k'.repeat(32);

const yaml = (secret: string, extra = '') => `${extra}
listen: { port: 0 }
admin: { port: 0 }
keys: [{ secret: ${KEY} }]
environments: { dev: { credentials: [{ id: me, ${secret} }] } }
`;

async function storageStatus(url: string, secret: string, env = 'dev'): Promise<number> {
  const client = createStorageClient(url, { id: 'me', secret }, env);
  return (await client.call('batchDelete', '{"fileList":[]}')).status;
}

test('SIGHUP applies the file and what it refers to, or keeps the old configuration', async () => {
  const file = (extra?: string) => yaml('secretFile: my.secret', extra);
  const { folder, cli, url } = await startConfigured(file(), { 'my.secret': 'the-first-secret' });
  const write = (name: string, text: string) => writeFile(join(folder, name), text);
  expect(await storageStatus(url, 'the-first-secret')).toBe(200);

  await write('my.secret', 'the-second-secret\n');
  cli.child.kill('SIGHUP');
  await cli.line('reloaded the configuration');
  expect(await storageStatus(url, 'the-second-secret')).toBe(200);
  expect(await storageStatus(url, 'the-first-secret')).toBe(401);

  await write('berth.yaml', file('typo: 1'));
  await write('my.secret', 'the-third-secret');
  cli.child.kill('SIGHUP');
  const refused = await cli.line('cannot use the new configuration; keeping the old one');
  expect(JSON.stringify(refused)).toContain('berth.yaml:1:1: typo is not a setting');
  expect(await storageStatus(url, 'the-second-secret')).toBe(200);

  await write('berth.yaml', file().replace('listen: {', 'listen: { keepAliveSeconds: 9,'));
  cli.child.kill('SIGHUP');
  await cli.line('reloaded the configuration', 2);
  expect(await cli.line('these changes need a restart')).toMatchObject({ settings: ['listen'] });
  expect(await storageStatus(url, 'the-third-secret')).toBe(200);
  expect(cli.stdout).not.toMatch(/the-(first|second|third)-secret/);
});

test('a SIGHUP while the server starts is a reload once it has started', async () => {
  const folder = await makeFolder();
  const pipe = join(folder, 'berth.yaml');
  await promisify(execFile)('mkfifo', [pipe]);
  const cli = new Cli(folder, ['--config', 'berth.yaml']);
  // Opened when the server opens it.
  const first = await open(pipe, 'w');
  cli.child.kill('SIGHUP');
  await first.writeFile(yaml('secret: the-first-secret'));
  await first.close();
  const { url } = await cli.listening();
  await writeFile(pipe, yaml('secret: the-second-secret'));
  await cli.line('reloaded the configuration');
  expect(await storageStatus(url, 'the-second-secret')).toBe(200);
});

test('environments, services, quotas and CORS change; a call in flight finishes with the old ones', async () => {
  const { promise: held, resolve: release } = Promise.withResolvers<void>();
  const quick = await startService((_, response) => response.end('quick'));
  const { server, config, call, url } = await startInFront(async (_, response) => {
    response.write('begun ');
    await held;
    response.end('ended');
  });
  const underWay = await call();
  const { dev } = config.environments as { dev: object };
  const restarts = await server.reload({
    ...config,
    cors: { origins: ['https://app.example'] },
    environments: { dev: { ...dev, ...serving(quick), quota: { calls: 2, seconds: 200 } } },
  });
  expect(restarts).toEqual([]);
  const next = await call('', { headers: { origin: 'https://app.example' } });
  expect(await next.text()).toBe('quick');
  expect(next.headers.get('access-control-allow-origin')).toBe('https://app.example');
  expect((await call()).status).toBe(200);
  const third = await call();
  expect([third.status, await third.json()]).toMatchObject([429, { code: 'EXCEED_RATELIMIT' }]);
  release();
  expect(await underWay.text()).toBe('begun ended');

  const qa = { credentials: [{ id: 'me', secret: 'the-secret-of-qa' }] };
  await server.reload({ ...config, environments: { dev, qa } });
  expect(await storageStatus(url, 'the-secret-of-qa', 'qa')).toBe(200);
  await server.reload({ ...config, environments: { dev } });
  expect(await storageStatus(url, 'the-secret-of-qa', 'qa')).toBe(401);
});

test('of reloads at the same time the last one wins, and none changes a closed server', async () => {
  const { server, config, url } = await startServer();
  const withSecret = (secret: string, keys = config.keys) => {
    const environments = { dev: { credentials: [{ id: 'me', secret }] } };
    return server.reload({ ...config, keys, environments });
  };
  const secretFile = join(await makeFolder({ 'link.key': KEY }), 'link.key');
  // It takes longer, because it reads many files.
  const first = withSecret('the-first-secret', Array(100).fill({ secretFile }));
  await Promise.all([first, withSecret('the-second-secret')]);
  expect(await storageStatus(url, 'the-second-secret')).toBe(200);
  expect(await storageStatus(url, 'the-first-secret')).toBe(401);

  const closed = server.close();
  expect(await withSecret('the-third-secret')).toEqual([]);
  await closed;
});

async function nameOf(url: string): Promise<string> {
  const socket = connect({ port: Number(new URL(url).port), rejectUnauthorized: false });
  await once(socket, 'secureConnect');
  const { subject } = socket.getPeerCertificate();
  socket.destroy();
  return String(subject.CN);
}

test('a certificate is replaced', async () => {
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

const OLD = { secret: 'the old key that signs links and grants' };
const NEW = { secret: 'the new key that signs links and grants' };
const PAIR = { id: 'me', secret: 'a secret of mine' };

test('keys are rotated without a 403 from a replica that has not reloaded', async () => {
  const { server, config, url } = await startServer({ keys: [OLD] }, { credentials: [PAIR] });
  const client = createStorageClient(url, PAIR);
  await client.upload('a.txt', 'content');
  // Each step accepts what the one before has issued, also on the way back.
  for (const keys of [[OLD, NEW], [NEW, OLD], [NEW], [NEW, OLD], [OLD, NEW], [OLD]]) {
    const [grant, link] = [await client.grant('a.txt'), await client.link('a.txt')];
    await server.reload({ ...config, keys });
    expect((await post(grant, 'a.txt', 'content')).status).toBe(204);
    expect((await fetch(link)).status).toBe(200);
  }
});
