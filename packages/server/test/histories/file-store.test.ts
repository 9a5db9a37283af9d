import { describe, test } from 'vitest';
import { deployOnDisk } from './deployments.ts';
import { expectLinearizable, LIMIT, SEED } from './settings.ts';

describe(`a server with a folder (seed ${SEED})`, () => {
  test('is linearizable while it is killed and frozen, and clients leave', LIMIT, async () => {
    await expectLinearizable(await deployOnDisk());
  });
});
