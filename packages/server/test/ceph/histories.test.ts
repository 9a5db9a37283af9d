import { test } from 'vitest';
import { describeOn } from '../../../../scripts/testing/engines.ts';
import { Cable, Replica } from '../histories/replicas.ts';
import { type Deployment, expectLinearizable, LIMIT, SEED } from '../histories/run-histories.ts';
import { startRedis } from '../processes/support/start-redis.ts';
import { newBucket, useCeph } from './support/use-ceph.ts';

const REPLICAS = 3;

/** Starts replicas that share a bucket and Redis, each over cables of its own. */
async function deploy(): Promise<Deployment> {
  const { endpoint } = useCeph();
  const options = await newBucket(endpoint);
  const { port } = await startRedis();
  const cables: Cable[] = [];
  const replicas: Replica[] = [];
  for (let count = 0; count < REPLICAS; count++) {
    const store = await Cable.to(Number(new URL(endpoint).port));
    const redis = await Cable.to(port);
    const cut = `http://127.0.0.1:${store.port}`;
    const replica = new Replica({
      store: { driver: 's3', ...options, endpoint: cut },
      redis: { url: `redis://127.0.0.1:${redis.port}` },
    });
    await replica.start();
    cables.push(store, redis);
    replicas.push(replica);
  }
  return { replicas, cables, isMoveAtomic: false };
}

describeOn('ceph', `replicas that share a bucket (seed ${SEED})`, () =>
  describeOn('redis', 'and locks', () => {
    test('are linearizable while they are killed, frozen and cut off', LIMIT, async () => {
      await expectLinearizable(await deploy(), 20);
    });
  }),
);
