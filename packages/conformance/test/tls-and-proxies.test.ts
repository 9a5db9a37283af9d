import { generate } from 'selfsigned';
import { afterEach, beforeAll, expect, test } from 'vitest';
import { idsOf, mustsOf, runSuite } from './support/run-suite.ts';
import { type ProxyOptions, startProxy } from './support/start-proxy.ts';
import { startFronted } from './support/start-target.ts';

/** A few rules of each kind: plain calls, raw paths, WebSockets, event streams, signed calls, files. */
const only = ['GW-ERROR-NOT-FOUND', 'GW-PATH', 'GW-QUERY', 'GW-WS', 'GW-SSE', 'AU-TC3', 'UP-FORM'];
let tls: { key: string; cert: string };
const closing: (() => Promise<void>)[] = [];

beforeAll(async () => {
  const { private: key, cert } = await generate([{ name: 'commonName', value: 'localhost' }], {
    keyType: 'ec',
    algorithm: 'sha256',
    extensions: [{ name: 'subjectAltName', altNames: [{ type: 7, ip: '127.0.0.1' }] }],
  });
  tls = { key, cert };
});

afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

async function openProxy(options: ProxyOptions = {}) {
  const proxy = await startProxy(options);
  closing.push(proxy.close);
  return proxy;
}

function expectCorrect(ran: Awaited<ReturnType<typeof runSuite>>): void {
  const others = ['fail', 'error', 'skip'].flatMap((outcome) => mustsOf(ran, outcome));
  expect([ran.sentence, ...others]).toEqual(['']);
  expect(ran.exitCode).toBe(0);
  expect(idsOf(ran, 'pass')).toEqual(expect.arrayContaining(['GW-WS-CLOSE', 'UP-FORM']));
}

test('neither an untrusted certificate nor a missing one allows a run', async () => {
  await using target = await startFronted({ tls });
  const ran = await runSuite(target.options);
  expect(ran.exitCode).toBe(2);
  expect(ran.sentence).toMatch(/cannot be reached: .*self-signed certificate/);
  const gatewayUrl = target.server.gatewayUrl.replace('http:', 'https:');
  const plain = await runSuite({ ...target.options, gatewayUrl, ca: tls.cert, timeout: 2000 });
  expect(plain.exitCode).toBe(2);
  expect(plain.sentence).toMatch(/^gatewayUrl: the gateway at https:.* cannot be reached/);
});

test.each(['ca', 'insecure'] as const)('--%s makes it reachable', async (option) => {
  await using target = await startFronted({ tls });
  const trust = option === 'ca' ? { ca: tls.cert } : { insecure: true };
  expectCorrect(await runSuite({ ...target.options, ...trust, only }));
});

test('with --proxy, all calls go through tunnels', async () => {
  await using target = await startFronted();
  const proxy = await openProxy();
  expectCorrect(await runSuite({ ...target.options, proxy: proxy.url, only }));
  expect(new Set(proxy.lines.map((line) => line.split(' ')[0]))).toEqual(new Set(['CONNECT']));
  expect(proxy.lines.length).toBeGreaterThan(target.gateway.count() + target.storage.count() - 1);
});

test('--proxy supports credentials and targets with TLS', async () => {
  await using target = await startFronted({ tls });
  const proxy = await openProxy({ credentials: 'user:pass' });
  expectCorrect(await runSuite({ ...target.options, proxy: proxy.url, ca: tls.cert, only }));
});

test('if the proxy opens no tunnels to http targets, it forwards calls unchanged', async () => {
  await using target = await startFronted();
  const proxy = await openProxy({ connectStatus: 403 });
  const forwarded = ['GW-ERROR-NOT-FOUND', 'GW-PATH', 'AU-TC3', 'UP-FORM', 'ST-META'];
  const ran = await runSuite({ ...target.options, proxy: proxy.url, only: forwarded });
  const others = ['fail', 'error', 'skip'].flatMap((outcome) => mustsOf(ran, outcome));
  expect(others).toEqual([]);
  expect(ran.notices).toContain(
    'the proxy does not open tunnels to http targets, so it may rewrite paths and the Host header',
  );
  expect(proxy.lines).toContainEqual(`GET ${target.options.gatewayUrl}/`);
});

test.each([
  ['wants credentials', { credentials: 'user:pass' }, 407],
  ['reaches nothing', { connectStatus: 502 }, 502],
])('--proxy that %s: no run, and a sentence', async (_, options, status) => {
  await using target = await startFronted();
  const proxy = await openProxy(options);
  const url = proxy.url.replace('user:pass@', '');
  const ran = await runSuite({ ...target.options, proxy: url });
  expect(ran.exitCode).toBe(2);
  expect(ran.sentence).toContain(`the proxy responded to CONNECT with ${status}`);
});

test('an unreachable --proxy prevents the run, with a clear message', async () => {
  await using target = await startFronted();
  const proxy = await startProxy();
  await proxy.close();
  const ran = await runSuite({ ...target.options, proxy: proxy.url });
  expect(ran.exitCode).toBe(2);
  expect(ran.sentence).toMatch(/ECONNREFUSED/);
  expect(target.gateway.count()).toBe(0);
});
