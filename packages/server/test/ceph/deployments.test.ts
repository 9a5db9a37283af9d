import { describeOn } from '@berth/runtimes/engines';
import { checkDeployment } from '../deployment/support/check-deployment.ts';
import { CREDENTIALS, newBucket, useCeph } from './support/use-ceph.ts';

describeOn('ceph', 'deployments', () => {
  checkDeployment('three processes behind a round robin', {
    // The suite finds the same as on a disk, and the tests of the store find more.
    runsSuite: Boolean(process.env.BERTH_SOAK),
    async newStore() {
      const { endpoint } = await useCeph();
      const { bucket } = await newBucket(endpoint);
      const { accessKeyId, secretAccessKey } = CREDENTIALS;
      return { driver: 's3', endpoint, bucket, accessKeyId, secretAccessKey } as const;
    },
  });
});
