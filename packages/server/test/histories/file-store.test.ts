import { describe, test } from 'vitest';
import { makeFolder } from '../server/support/start-server.ts';
import { Replica } from './replicas.ts';
import { expectLinearizable, LIMIT, SEED } from './run-histories.ts';

describe(`a server with a folder (seed ${SEED})`, () => {
  test('is linearizable while it is killed and frozen', LIMIT, async () => {
    const replica = new Replica({ store: { driver: 'file', root: await makeFolder() } });
    await replica.start();
    await expectLinearizable({ replicas: [replica], cables: [], isMoveAtomic: true }, 20);
  });
});
