import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { ConformanceOptions } from '@berth/conformance';
import { createConfig } from '@redocly/openapi-core';
import { run } from '@redocly/respect-core';
import { signStorageHeaders } from '../sign-storage-headers.ts';
import { startFront } from './start-front.ts';

const FILES = { storage: ['files', 'copy', 'overwrite', 'move'], gateway: ['gateway'] };

const silent = () => {};
const SILENT = {
  ...{ info: silent, warn: silent, error: silent, output: silent },
  ...{ printNewLine: silent, printSeparator: silent, indent: (text: string) => text },
};

/** The parts of a step or workflow run by Respect that are read here. */
interface Executed {
  workflowId?: string;
  stepId?: string;
  executedSteps?: Executed[];
  checks?: { name: string; passed: boolean; severity: string }[];
}

/**
 * Checks a server with `redocly respect` alone: with the Arazzo documents, and the inputs that they ask for.
 *
 * @returns the checks that fail, with their step and workflow
 */
export async function runRespect(options: ConformanceOptions): Promise<string[]> {
  const { gatewayUrl, storageUrl, gatewayToken = '', tc3 } = options;
  const key = { id: tc3?.secretId ?? '', secret: tc3?.secretKey ?? '' };
  const [authorization, sessionToken, timestamp] = Object.values(signStorageHeaders(key));
  const service = { token: gatewayToken, name: 'conformance' };
  const front = await startFront(options);
  try {
    const failed: string[] = [];
    const files = [
      ...(storageUrl === undefined ? [] : FILES.storage),
      ...(gatewayUrl === undefined ? [] : FILES.gateway),
    ];
    for (const name of files) {
      const results = await run({
        files: [fileURLToPath(import.meta.resolve(`@berth/spec/workflows/${name}.arazzo.yaml`))],
        server: [`gateway=${front.url}`, `storage=${storageUrl}`],
        input: JSON.stringify({ authorization, sessionToken, timestamp, ...service }),
        config: await createConfig({}),
        maxSteps: 200,
        maxFetchTimeout: 10_000,
        requestFileLoader: { getFileBody: async (file) => new Blob([await readFile(file)]) },
        logger: SILENT,
        fetch,
        skipLint: true,
        noSecretsMasking: true,
      });
      for (const { executedWorkflows } of results) {
        failed.push(...listFailed(executedWorkflows as unknown as Executed[], name));
      }
    }
    return failed;
  } finally {
    await front.close();
  }
}

function listFailed(executed: readonly Executed[], within: string): string[] {
  return executed.flatMap(({ workflowId, stepId, executedSteps, checks = [] }) => {
    const place = `${within}/${stepId ?? workflowId}`;
    const own = checks.filter(({ passed, severity }) => !passed && severity === 'error');
    const names = own.map(({ name }) => `${place}: ${name}`);
    return [...names, ...listFailed(executedSteps ?? [], place)];
  });
}
