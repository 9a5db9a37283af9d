import { describe, test } from 'vitest';
import { DISK_DEFECTS } from './defects.ts';
import { deployOnDisk } from './deployments.ts';
import { expectLinearizable, expectViolation, LIMIT, SEED } from './settings.ts';

describe(`replicas that share a folder (seed ${SEED})`, () => {
  test('are linearizable while they are killed and frozen, and clients leave', LIMIT, async () => {
    await expectLinearizable(await deployOnDisk());
  });

  if (process.env.BERTH_SOAK) {
    test.each(DISK_DEFECTS)('are not if $name', async ({ patches }) => {
      await expectViolation(await deployOnDisk(patches));
    });
  }
});
