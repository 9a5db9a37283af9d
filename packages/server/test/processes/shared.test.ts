import { Redis as RedisClient } from 'ioredis';
import { expect, onTestFinished, test } from 'vitest';
import { describeOn } from '../../../../scripts/testing/engines.ts';
import { freePort } from '../../../../scripts/testing/free-port.ts';
import type { ConfigInput } from '../../src/index.ts';
import {
  createStorageClient,
  type Meta,
  post,
  toFields,
} from '../attacks/support/storage-client.ts';
import { runHere } from '../server/support/cli.ts';
import { startService } from '../server/support/hosted-service.ts';
import { makeCertificate, trust } from '../server/support/make-certificate.ts';
import { makeFolder, serving, startServer } from '../server/support/start-server.ts';
import { startRedis } from './support/start-redis.ts';

const PAIR = { id: 'ci', secret: 'a secret of the key pair' };
const QUOTA = { calls: 10, seconds: 10_000 };

type Redis = NonNullable<ConfigInput['redis']>;

/** Starts three replicas of a server, which share this Redis. Each has a folder of its own. */
async function startReplicas(redis: Redis, environment: object = {}) {
  const hello = await startService((_request, response) => response.end('ok'));
  const { url, password } = redis;
  const shared = { credentials: [PAIR], ...serving(hello), ...environment };
  const start = () => startServer({ redis: { url, password } }, shared);
  const [first, second, third] = [await start(), await start(), await start()] as const;
  return { replicas: [first, second, third], first, second, third };
}

type Replica = Awaited<ReturnType<typeof startServer>>;

/** Makes as many calls, in turn to each replica; returns how many were allowed. */
async function countAllowed(replicas: readonly Replica[], calls: number): Promise<number> {
  const call = (_: unknown, at: number) => (replicas[at % replicas.length] as Replica).call();
  const responses = await Promise.all(Array.from({ length: calls }, call));
  const refused = responses.filter(({ status }) => status === 429);
  for (const { headers } of refused)
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(900);
  return responses.filter(({ status }) => status === 200).length;
}

const clientOf = ({ url }: Replica) => createStorageClient(url, PAIR);

const requestGrant = (from: Replica) => clientOf(from).grant('a.txt');

/** The statuses of a storage call, of signed calls without and with a body, and of a call with a token. */
const callAll = async (to: Replica) => [
  (await clientOf(to).call('batchDelete', { fileList: [] })).status,
  (await to.sendSigned(PAIR)).status,
  (await to.sendSigned(PAIR, 'body')).status,
  (await to.call()).status,
];

const upload = async (to: Replica, grant: Meta, content = 'content') =>
  (await post({ ...grant, url: `${to.url}/upload` }, 'a.txt', content)).status;

/** Sends the first byte of an upload, and the rest later. */
async function beginUpload({ send, metric }: Replica, grant: Meta) {
  const form = new FormData();
  for (const [name, value] of Object.entries(toFields('a.txt', grant))) form.append(name, value);
  form.append('file', new Blob(['content']), 'a.txt');
  const upload = new Response(form);
  const bytes = await upload.bytes();
  const { promise: isContinued, resolve: sendRest } = Promise.withResolvers<void>();
  async function* body() {
    yield bytes.subarray(0, 1);
    await isContinued;
    yield bytes.subarray(1);
  }
  const headers = { 'content-type': upload.headers.get('content-type') as string };
  const sent = send({ method: 'POST', headers, body: body() }, '/upload');
  await expect.poll(() => metric('berth_calls_active')).toBe(1);
  return { sent, sendRest };
}

/** Uploads a file to some replicas; returns a link of the first, whose status can be requested from each. */
async function requestLink(from: Replica, ...others: readonly Replica[]): Promise<string> {
  for (const replica of [from, ...others])
    expect((await clientOf(replica).upload('a.txt', 'content')).status).toBe(204);
  return clientOf(from).link('a.txt');
}

async function download(from: Replica, link: string): Promise<number> {
  const { pathname, search } = new URL(link);
  const response = await fetch(`${from.url}${pathname}${search}`);
  await response.text();
  return response.status;
}

/** Runs `berth-server revoke` with the configuration of these replicas; returns its output. */
async function revoke(url: string, ...args: string[]): Promise<string> {
  const keys = [{ secret: 'k'.repeat(32) }];
  const config = { keys, redis: { url }, environments: { dev: { credentials: [PAIR] } } };
  const folder = await makeFolder({ 'berth.yaml': JSON.stringify(config) });
  const { stdout, stderr } = await runHere(folder, 'revoke', ...args, '--config', 'berth.yaml');
  return stdout + stderr;
}

const messagesOf = ({ lines }: Replica) =>
  lines.map(({ msg }) => msg).filter((msg) => msg.startsWith('Redis'));

describeOn('redis', 'state shared by replicas', () => {
  test('share a quota; without Redis each counts by itself, and reports it once', async () => {
    const redis = await startRedis();
    const { replicas, first } = await startReplicas(redis, { quota: QUOTA });
    expect(await countAllowed(replicas, 60)).toBe(10);
    await redis.kill();
    expect(await countAllowed(replicas, 60)).toBe(30);
    expect(messagesOf(first)).toEqual(['Redis is not available']);
    expect(await first.metrics()).toContain('berth_redis_failures_total{feature="quota"} 20');
    await startRedis([], redis.port);
    await expect.poll(() => replicas.map((each) => messagesOf(each).length)).toEqual([2, 2, 2]);
    expect(messagesOf(first)).toEqual(['Redis is not available', 'Redis is available again']);
    expect(await countAllowed(replicas, 60)).toBe(10);
  });

  test('a Redis server that hangs delays calls only briefly', async () => {
    const redis = await startRedis();
    const { replicas } = await startReplicas(redis, { quota: QUOTA });
    redis.process.kill('SIGSTOP');
    expect(await countAllowed(replicas, 30)).toBe(30);
    redis.process.kill('SIGCONT');
    await expect
      .poll(async () => {
        await countAllowed(replicas, 3);
        return replicas.map((each) => messagesOf(each).at(-1));
      })
      .toEqual(Array(3).fill('Redis is available again'));
  });

  test('a full Redis server fails only what writes to it, and is reported once', async () => {
    const { port, url } = await startRedis();
    const { first } = await startReplicas({ url }, { quota: QUOTA });
    const link = await requestLink(first);
    const client = new RedisClient(port);
    onTestFinished(() => client.disconnect());
    await client.config('SET', 'maxmemory', '1');
    for (let time = 0; time < 3; time += 1) {
      expect((await first.call()).status).toBe(200);
      expect(await download(first, link)).toBe(200);
    }
    expect(messagesOf(first)).toEqual(['Redis is not available']);
    await client.config('SET', 'maxmemory', '0');
    expect((await first.call()).status).toBe(200);
    expect(messagesOf(first)).toEqual(['Redis is not available', 'Redis is available again']);
  });

  test('one grant and one link can be revoked', async () => {
    const { port, url } = await startRedis();
    const { first, second } = await startReplicas({ url });
    const grants = [await requestGrant(first), await requestGrant(first)] as const;
    const links = [await requestLink(first, second), await requestLink(second, first)] as const;
    expect(await revoke(url, 'grant', grants[0].storeFileID)).toBe('Revoked the grant.\n');
    const client = new RedisClient(port);
    onTestFinished(() => client.disconnect());
    // Until the longest possible grant has expired: a server may have issued it with another `grantSeconds`.
    const ttl = await client.ttl(`berth:revoked:grant:${grants[0].storeFileID}`);
    expect(ttl).toBeGreaterThan(600_000);
    expect(ttl).toBeLessThanOrEqual(604_800);
    // A fragment, such as the page of a PDF, is not a part of the link.
    await revoke(url, 'link', `${links[0]}#page=2`);
    expect([await upload(second, grants[0]), await upload(second, grants[1])]).toEqual([403, 204]);
    expect([await download(second, links[0]), await download(first, links[1])]).toEqual([403, 200]);
    expect(await revoke(url, 'link', 'no link')).toBe(
      'Pass the URL of a link that has not expired.\n',
    );
    expect(await revoke(url, 'grant', 'typo')).toContain('Pass the storeFileID');
  });

  test('without Redis, grants and links fail closed, and other calls do not need it', async () => {
    const redis = await startRedis();
    const { first } = await startReplicas(redis);
    const grant = await requestGrant(first);
    const link = await requestLink(first);
    await redis.kill();
    expect([await upload(first, grant), await download(first, link)]).toEqual([503, 503]);
    const ready = await fetch(`${first.adminUrl}/readyz`);
    expect([ready.status, await ready.text()]).toEqual([200, 'ready\nredis: not available\n']);
    expect(await callAll(first)).toEqual([200, 200, 200, 200]);
  });

  test('connects with TLS and a password, which is never logged', async () => {
    const { cert, key } = await makeCertificate('localhost');
    await trust(cert);
    const password = 'p%/@ssword-of-redis';
    const port = await freePort();
    const tls = ['--tls-port', `${port}`, '--tls-cert-file', cert, '--tls-key-file', key];
    await startRedis([...tls, '--tls-auth-clients', 'no', '--requirepass', password], 0);
    const url = `rediss://:${encodeURIComponent(password)}@localhost:${port}`;
    const right = await startReplicas({ url }, { quota: QUOTA });
    expect(await countAllowed(right.replicas, 30)).toBe(10);
    expect(messagesOf(right.first)).toEqual([]);

    const wrongUrl = `rediss://localhost:${port}`;
    const wrong = await startReplicas({ url: wrongUrl, password: 'not-the-password' });
    expect(await upload(wrong.first, await requestGrant(wrong.first))).toBe(503);
    const all = [...right.replicas, ...wrong.replicas];
    const logged = JSON.stringify(all.map(({ lines }) => lines));
    expect(logged).toContain('WRONGPASS');
    expect(logged).not.toMatch(/ssword-of-redis|not-the-password/);
  });
});

test('without Redis, the calls, grants and links of a removed key pair are rejected', async () => {
  const started = await startServer({}, { credentials: [PAIR] });
  const { server, config } = started;
  const grant = await requestGrant(started);
  const link = await requestLink(started);
  const { dev } = config.environments;
  await server.reload({ ...config, environments: { dev: { ...dev, credentials: [] } } });
  expect([await upload(started, grant), await download(started, link)]).toEqual([403, 403]);
  expect((await callAll(started)).slice(0, 3)).toEqual([401, 401, 401]);
  // So is the grant of an upload whose call began before the reload, and whose form arrives after it.
  await server.reload(config);
  const { sent, sendRest } = await beginUpload(started, grant);
  await server.reload({ ...config, environments: { dev: { ...dev, credentials: [] } } });
  sendRest();
  expect((await sent).status).toBe(403);
  await server.reload(config);
  expect([await upload(started, grant), await download(started, link)]).toEqual([204, 200]);
});
