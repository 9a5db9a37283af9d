import { fork } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import type { ConformanceOptions } from '@berth/conformance';
import { signStorageHeaders } from '../sign-storage-headers.ts';
import type { Found, Order } from './protocol.ts';

const COPIES = new URL('../../../conformance/src/generated/', import.meta.url);

/**
 * Checks a server with Dredd alone, using hooks that only add credentials.
 *
 * @returns the names of the transactions that fail
 */
export async function runDreddAlone(options: ConformanceOptions): Promise<string[]> {
  const { gatewayUrl = '', gatewayHost, gatewayToken, tc3, service = 'conformance' } = options;
  const documents = await Promise.all(
    ['gateway.v1', 'storage.v2'].map((name) =>
      readFile(new URL(`${name}.openapi30.gen.json`, COPIES), 'utf8'),
    ),
  );
  const order: Order = {
    documents,
    endpoint: gatewayUrl,
    service,
    headers: signStorageHeaders({ id: tc3?.secretId ?? '', secret: tc3?.secretKey ?? '' }),
    gatewayHeaders: { Authorization: `Bearer ${gatewayToken}`, Host: gatewayHost ?? '' },
  };
  const child = fork(new URL('./child.ts', import.meta.url), {
    execArgv: [],
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
  child.send(order);
  const [found] = await once(child, 'message');
  const { failed, error } = found as Found;
  if (error) throw new Error(`Dredd failed: ${error}`);
  return failed;
}
