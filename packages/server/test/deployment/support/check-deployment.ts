import { createConformance } from '@berth/conformance';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { checkCrossings } from './check-crossings.ts';
import { checkFiles } from './check-files.ts';
import { checkServices } from './check-services.ts';
import { listOperations } from './list-operations.ts';
import { runWorkflows } from './run-workflows.ts';
import { type Deployment, type DeploymentOptions, startDeployment } from './start-deployment.ts';

const WORKFLOWS = [
  ...['upload-file', 'download-file', 'delete-file', 'copy-file', 'copy-without-overwriting'],
  ...['move-file', 'call-service', 'call-missing-service', 'call-without-credentials'],
];

const OPERATIONS = [
  ...['cloudrun-get-root', 'cloudrun-post-root', 'cloudrun-get', 'cloudrun-post'],
  ...['getUploadMetaData', 'batchGetTempUrls', 'batchDelete', 'batchCopyFile'],
  ...['uploadFile', 'download'],
].sort();

/** Tests a deployment as its callers see it: with the client, the conformance suite and the workflows. */
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
    // The suite and the workflows know the names of the contract only.
    if (options.wireProfile !== undefined) return;

    test('the conformance suite finds nothing to complain of', async () => {
      const { url, token, storageHeaders } = deployment;
      const { exitCode, summary, results } = await createConformance({
        ...{ gatewayUrl: url, storageUrl: url, gatewayToken: token },
        storageHeaders: storageHeaders(),
      }).run();
      const bad = results.filter(
        ({ outcome, required, refused }) =>
          ['fail', 'error'].includes(outcome) || required === true || refused === true,
      );
      expect(bad.map(({ name, findings, reason }) => ({ name, findings, reason }))).toEqual([]);
      expect(exitCode).toBe(0);
      expect(summary.pass).toBeGreaterThanOrEqual(24);
    });

    test('every workflow of the contract is green', async () => {
      expect(await runWorkflows(deployment)).toEqual(
        Object.fromEntries(WORKFLOWS.map((name) => [name, 'success'])),
      );
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
