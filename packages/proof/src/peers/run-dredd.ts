import { fork } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import type { ConformanceOptions } from '@berth/conformance';
import { signStorageHeaders } from '../sign-storage-headers.ts';

const COPIES = new URL('../../../conformance/src/generated/', import.meta.url);

/** The message to the Dredd process: what to run. Calls of the gateway get other headers, and the documented response. */
export interface Order {
  /** Texts of OpenAPI 3.0 documents. */
  documents: string[];
  /** URL of both APIs. */
  endpoint: string;
  /** Headers for storage calls. */
  headers: Record<string, string>;
  gatewayHeaders: Record<string, string>;
  /** Hosted service to call. */
  service: string;
}

/** The message in which the Dredd process reports its findings. */
export interface Found {
  /** Names of the transactions that failed. */
  failed: string[];
  error?: string;
}

/**
 * Checks a server, which serves both APIs, with Dredd alone, using hooks that only add credentials.
 *
 * @returns the names of the transactions that fail
 */
export async function runDredd(options: ConformanceOptions): Promise<string[]> {
  const {
    gatewayUrl,
    storageUrl,
    gatewayHost,
    gatewayToken,
    tc3,
    service = 'conformance',
  } = options;
  const names = [...(gatewayUrl ? ['gateway.v1'] : []), ...(storageUrl ? ['storage.v2'] : [])];
  const documents = await Promise.all(
    names.map((name) => readFile(new URL(`${name}.openapi30.gen.json`, COPIES), 'utf8')),
  );
  const order: Order = {
    documents,
    endpoint: gatewayUrl ?? storageUrl ?? '',
    service,
    headers: signStorageHeaders({ id: tc3?.secretId ?? '', secret: tc3?.secretKey ?? '' }),
    gatewayHeaders: { Authorization: `Bearer ${gatewayToken}`, Host: gatewayHost ?? '' },
  };
  const { failed, error } = await runInChild(order);
  if (error) throw new Error(`Dredd failed: ${error}`);
  return failed;
}

/** Runs Dredd in a separate process, because it keeps global loggers. */
export async function runInChild(order: Order): Promise<Found> {
  const child = fork(new URL('./dredd-child.ts', import.meta.url), {
    execArgv: [],
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
  child.send(order);
  const ended = once(child, 'exit').then(([code]) => [{ failed: [], error: `exit code ${code}` }]);
  const [found] = await Promise.race([once(child, 'message'), ended]);
  return found;
}
