import { describeOn } from '@berth/scripts/engines';
import { test } from 'vitest';
import { deployOnCeph } from '../histories/deployments.ts';
import { expectLinearizable, LIMIT, SEED } from '../histories/settings.ts';
import { useCeph } from './support/use-ceph.ts';

// Only for `npm run soak`: they restart the gateway of Ceph.
describeOn('ceph', `replicas that share a bucket (seed ${SEED})`, () =>
  describeOn('redis', 'and locks', () => {
    test('are linearizable while they are killed, frozen and cut off', LIMIT, async () => {
      await expectLinearizable(await deployOnCeph(await useCeph()));
    });
  }),
);
