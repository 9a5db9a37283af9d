import { describe, test } from 'vitest';
import { describeOn } from '../../../../scripts/testing/engines.ts';
import { startRedis } from '../processes/support/start-redis.ts';
import { makeFolder } from '../server/support/start-server.ts';
import { Cable, Replica } from './replicas.ts';
import { expectLinearizable, LIMIT, SEED } from './run-histories.ts';

describe(`a server with a folder (seed ${SEED})`, () => {
  test('is linearizable while it is killed and frozen', LIMIT, async () => {
    const replica = new Replica({ store: { driver: 'file', root: await makeFolder() } });
    await replica.start();
    await expectLinearizable({ replicas: [replica], cables: [], isMoveAtomic: true }, 100);
  });
});

describeOn('redis', `servers that share a folder and locks (seed ${SEED})`, () => {
  test('are linearizable while they are killed, frozen and cut off', LIMIT, async () => {
    const store = { driver: 'file' as const, root: await makeFolder() };
    const { port } = await startRedis();
    const cables = [await Cable.to(port), await Cable.to(port)];
    const replicas = cables.map(
      (cable) => new Replica({ store, redis: { url: `redis://127.0.0.1:${cable.port}` } }),
    );
    for (const replica of replicas) await replica.start();
    await expectLinearizable({ replicas, cables, isMoveAtomic: true }, 80);
  });
});
