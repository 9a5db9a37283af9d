import { createConformance } from '@berth/conformance';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { checkCrossings } from './check-crossings.ts';
import { checkFiles } from './check-files.ts';
import { checkServices } from './check-services.ts';
import { listOperations } from './list-operations.ts';
import {
  type Deployment,
  type DeploymentOptions,
  KEY_PAIR,
  startDeployment,
} from './start-deployment.ts';

const OPERATIONS = [
  ...['cloudrun-get-root', 'cloudrun-post-root', 'cloudrun-get', 'cloudrun-post'],
  ...['getUploadMetaData', 'batchGetTempUrls', 'batchDelete', 'batchCopyFile'],
  ...['uploadFile', 'download'],
].sort();

/** Tests a deployment as its callers see it: with the client and the conformance suite. */
export function checkDeployment(
  title: string,
  options: Omit<DeploymentOptions, 'store'>,
  newStore?: () => Promise<DeploymentOptions['store']>,
): void {
  describe(title, () => {
    let deployment: Deployment;
    const deployed = () => deployment;
    beforeAll(async () => {
      const store = await newStore?.();
      deployment = await startDeployment({ ...options, ...(store && { store }) });
    });
    afterAll(() => deployment?.close());

    checkFiles(deployed);
    checkServices(deployed);

    test('the conformance suite finds nothing to complain of', async () => {
      const { url, token, foreignToken, wireProfile } = deployment;
      const { exitCode, results, leftovers } = await createConformance({
        ...{ gatewayUrl: url, storageUrl: url, wireProfile },
        ...{ gatewayToken: token, otherEnvToken: foreignToken, forbiddenService: 'closed' },
        tc3: { secretId: KEY_PAIR.id, secretKey: KEY_PAIR.secret },
      }).run();
      const bad = results.filter(({ outcome }) => outcome !== 'pass');
      expect(
        bad.map(({ id, outcome, reason, findings }) => ({ id, outcome, reason, findings })),
      ).toEqual([]);
      expect({ exitCode, leftovers }).toEqual({ exitCode: 0, leftovers: [] });
    });

    test('every process has done its share of every operation', async () => {
      const shares = await Promise.all(deployment.processes.map(listOperations));
      expect(shares).toHaveLength(options.processes);
      for (const operations of shares) expect(operations).toEqual(OPERATIONS);
    });

    // These choose the process themselves, so they come after what the balancer's work is told by.
    if (options.processes > 1) checkCrossings(deployed);
  });
}
