import { describeOn } from '@berth/runtimes/engines';
import { checkDeployment, STORAGE_RULES } from '../deployment/support/check-deployment.ts';
import { CREDENTIALS, newBucket, useCeph } from './support/use-ceph.ts';

async function newStore() {
  const { endpoint } = await useCeph();
  const { bucket } = await newBucket(endpoint);
  const { accessKeyId, secretAccessKey } = CREDENTIALS;
  return { driver: 's3', endpoint, bucket, accessKeyId, secretAccessKey } as const;
}

describeOn('ceph', 'deployments', () => {
  checkDeployment(
    'three processes behind a round robin',
    { processes: 3, only: STORAGE_RULES },
    newStore,
  );
});
