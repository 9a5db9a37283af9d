import { expect, onTestFinished, test } from 'vitest';
import { startDnsServer } from '../gateway/registry/support/dns-server.ts';
import { startService } from '../server/support/hosted-service.ts';
import { startServer } from '../server/support/start-server.ts';
import { until } from './support/until.ts';

async function startBehindDns() {
  const origin = await startService((_, response) => response.end('ok'));
  const dns = await startDnsServer();
  onTestFinished(() => dns.stop().catch(() => {}));
  const port = Number(new URL(origin).port);
  const started = await startServer(
    { dns: { servers: [dns.address], allow: ['127.0.0.0/8'] } },
    { services: { hello: { dns: { type: 'A', name: 'web.test', port } } } },
  );
  return { dns, ...started };
}

test('calls a known service while DNS is down', async () => {
  const { dns, call } = await startBehindDns();
  dns.setAddresses('web.test', ['127.0.0.1'], 1);
  expect(await (await call()).text()).toBe('ok');
  const asked = dns.asked.length;
  dns.behave('servfail');
  // Calls continue beyond the TTL, while queries keep failing.
  await until(async () => {
    expect(await (await call()).text()).toBe('ok');
    return dns.asked.length > asked;
  });
  expect(await (await call()).text()).toBe('ok');
});

test('responds with a 503 and Retry-After if a service cannot be resolved, and recovers', async () => {
  const { dns, call, lines } = await startBehindDns();
  dns.behave('servfail');
  const refused = await call();
  expect([refused.status, await refused.json()]).toMatchObject([
    503,
    { code: 'SERVICE_ENDPOINT_NOT_FOUND' },
  ]);
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
  expect(lines.some(({ msg, level }) => msg === 'DNS failed' && level === 'warn')).toBe(true);
  dns.setAddresses('web.test', ['127.0.0.1']);
  dns.behave('answer');
  await until(async () => (await call()).status === 200);
});
