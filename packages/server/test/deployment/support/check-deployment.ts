import { createStorageClient, type StorageClient } from '@berth/client';
import { createConformance } from '@berth/conformance';
import type { WireProfile } from '@berth/server-stubs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  type Deployment,
  type DeploymentOptions,
  KEY_PAIR,
  type ServerProcess,
  startDeployment,
} from './start-deployment.ts';

const OPERATIONS = [
  ...['cloudrun-get-root', 'cloudrun-post-root', 'cloudrun-get', 'cloudrun-post'],
  ...['getUploadMetaData', 'batchGetTempUrls', 'batchDelete', 'batchCopyFile'],
  ...['uploadFile', 'download'],
].sort();

interface CheckOptions {
  readonly wireProfile?: WireProfile;
  readonly newStore?: () => Promise<DeploymentOptions['store']>;
  /** Whether to run the conformance suite. Default: true. */
  readonly runsSuite?: boolean;
}

/**
 * Prefixes of the rules that depend on the store, the number of processes or the wire profile, and calls of the
 * gateway. `@berth/proof` checks the server with all rules.
 */
const RULES = ['ST-', 'UP-', 'AU-STORAGE', 'GW-STATUS', 'GW-FORWARD', 'GW-PATH'];
/** Requests of each rule that generates them. `@berth/proof` makes more. */
const RUNS = 10;

/** Tests a deployment from the outside: with the conformance suite, and clients of several processes. */
export function checkDeployment(
  title: string,
  { newStore, runsSuite = true, ...options }: CheckOptions,
): void {
  describe(title, () => {
    let deployment: Deployment;
    const deployed = () => deployment;
    beforeAll(async () => {
      const store = await newStore?.();
      deployment = await startDeployment({ ...options, ...(store && { store }) });
    });
    afterAll(() => deployment?.close());

    if (runsSuite) checkSuite(deployed);
    // These tests choose the process themselves, so they run after the balancer's distribution was
    // checked.
    checkCrossings(deployed);
  });
}

/** Tests that the suite passes, and that every process took part in it. */
function checkSuite(deployed: () => Deployment): void {
  test('passes the conformance suite', async () => {
    const { url, token, foreignToken, wireProfile } = deployed();
    const { exitCode, results, leftovers } = await createConformance({
      ...{ gatewayUrl: url, storageUrl: url, wireProfile },
      ...{ gatewayToken: token, otherEnvToken: foreignToken, forbiddenService: 'closed' },
      ...{ only: RULES, runs: RUNS },
      // A busy machine may need longer than the default.
      timeout: 60_000,
      tc3: { secretId: KEY_PAIR.id, secretKey: KEY_PAIR.secret },
    }).run();
    const isChecked = (id: string) => RULES.some((start) => id.startsWith(start));
    const bad = results.filter(({ id, outcome }) => isChecked(id) && outcome !== 'pass');
    expect(
      bad.map(({ id, outcome, reason, findings }) => ({ id, outcome, reason, findings })),
    ).toEqual([]);
    expect({ exitCode, leftovers }).toEqual({ exitCode: 0, leftovers: [] });
  });

  test('uses every process', async () => {
    const shares = await Promise.all(deployed().processes.map(listOperations));
    expect([...new Set(shares.flat())].sort()).toEqual(OPERATIONS);
    // The suite makes few calls of some operations, and a process can miss them all.
    for (const operations of shares) {
      expect(operations.length).toBeGreaterThan(OPERATIONS.length / 2);
    }
  });
}

/** Operations that a process has completed successfully, according to its metrics, by name. */
async function listOperations({ adminUrl }: ServerProcess): Promise<string[]> {
  const metrics = await (await fetch(`${adminUrl}/metrics`)).text();
  const counted = metrics.matchAll(/^berth_calls_total\{.*operation="(.+?)",status="2xx"/gm);
  return [...new Set([...counted].map(([, operation]) => operation as string))].sort();
}

/** Tests that grants and links of one process are valid at every other. */
function checkCrossings(deployed: () => Deployment): void {
  describe('processes', () => {
    /** A client that starts at one process and uses grants and links at another. */
    const between = (first: string, second: string) => {
      const { url, credentials, wireProfile } = deployed();
      const takeTo: typeof fetch = (given, init) => {
        const address = String(given);
        return fetch(address.startsWith(url) ? second + address.slice(url.length) : address, init);
      };
      const options = { envId: 'dev', credentials, wireProfile, fetch: takeTo };
      return createStorageClient({ baseUrl: first, ...options });
    };
    const clients = (): StorageClient[] => {
      const urls = deployed().processes.map(({ url }) => url);
      return urls.flatMap((first) => urls.map((second) => between(first, second)));
    };

    test('accept grants and links of each other, and see each other’s files', async () => {
      const all = clients();
      expect(all.length).toBe(9);
      const ids = await Promise.all(
        all.map((client, index) => client.upload(`crossing/${index}.txt`, `from ${index}`)),
      );
      for (const [index, { fileID }] of ids.entries()) {
        const contents = all.map(async (client) => (await client.download(fileID)).text());
        expect(new Set(await Promise.all(contents))).toEqual(new Set([`from ${index}`]));
      }
      await Promise.all(ids.map(({ fileID }, index) => all.at(-1 - index)?.delete(fileID)));
      for (const client of all) {
        await expect(client.tempUrl(ids[0]?.fileID as string)).rejects.toMatchObject({
          code: 'STORAGE_FILE_NONEXIST',
        });
      }
    });
  });
}
