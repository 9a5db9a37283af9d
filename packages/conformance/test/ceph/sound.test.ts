import { connect, createServer } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { describeOn } from '../../../../scripts/testing/engines.ts';
import { listen } from '../../../../scripts/testing/listen.ts';
import type {} from '../../../server/test/ceph/support/global-setup.ts';
import { newBucket, useCeph } from '../../../server/test/ceph/support/use-ceph.ts';
import { startRedis } from '../../../server/test/processes/support/start-redis.ts';
import { runSuite } from '../run-suite.ts';
import { startReference, type Target } from '../targets/start-reference.ts';

/** Runs every check, as an operator would: nothing may fail, be skipped or stay behind. */
async function expectSound({ options }: Target): Promise<void> {
  const ran = await runSuite({ ...options, seed: 1, sequences: 5 });
  const none = { fail: [], skip: [], error: [], failedShoulds: [], leftovers: [] };
  expect(ran).toMatchObject({ exitCode: 0, ...none });
}

/** Spreads connections over servers, each to the next one, like a load balancer. */
async function startBalancer(): Promise<{ url: string; urls: string[] }> {
  const urls: string[] = [];
  let next = 0;
  const server = createServer((client) => {
    const { port, hostname } = new URL(urls[next++ % urls.length] ?? '');
    const upstream = connect(Number(port), hostname);
    client.pipe(upstream).pipe(client);
    client.on('error', () => upstream.destroy());
    upstream.on('error', () => client.destroy());
  });
  const { url, close } = await listen(server);
  onTestFinished(close);
  return { url, urls };
}

describeOn('ceph', 'every check passes', () => {
  test('on a server whose files are in Ceph', async () => {
    const { endpoint } = await useCeph();
    const target = await startReference({
      store: { driver: 's3', ...(await newBucket(endpoint)) },
    });
    onTestFinished(target.close);
    await expectSound(target);
  });

  describeOn('redis', 'on two servers', () => {
    test('that share Ceph and Redis', async () => {
      const { endpoint } = await useCeph();
      const { port } = await startRedis();
      const balancer = await startBalancer();
      const { url } = balancer;
      const target = await startReference({
        publicUrl: url,
        replicas: 2,
        store: { driver: 's3', ...(await newBucket(endpoint)) },
        redis: { url: `redis://127.0.0.1:${port}` },
      });
      onTestFinished(target.close);
      balancer.urls.push(...(target.urls ?? []));
      const options = { ...target.options, gatewayUrl: url, storageUrl: url };
      await expectSound({ ...target, options });
    });
  });
});
