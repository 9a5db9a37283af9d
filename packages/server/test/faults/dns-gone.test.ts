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

test('a service that was found is called while DNS is gone', async () => {
  const { dns, call } = await startBehindDns();
  dns.setAddresses('web.test', ['127.0.0.1'], 1);
  expect(await (await call()).text()).toBe('ok');
  const asked = dns.asked.length;
  dns.behave('servfail');
  // Calls go on over the end of the TTL, when it is asked again and again in vain.
  await until(async () => {
    expect(await (await call()).text()).toBe('ok');
    return dns.asked.length > asked;
  });
  expect(await (await call()).text()).toBe('ok');
});

test('a service that cannot be found is a 503 that tells to come back, and comes back by itself', async () => {
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
