import { readFile } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import type { Deployment } from '../platform-case.ts';
import type { CaseResult } from '../run-suite.ts';
import { startWorkerd } from './start-workerd.ts';

/** Runs the suite in a Worker, in one request, and yields its results as they arrive. */
export async function runWorker(
  module: string,
  deployment: Deployment,
  certificate: string,
  tell: (result: CaseResult) => void,
): Promise<void> {
  const worker = await startWorkerd(module, await readFile(certificate, 'utf8'));
  const run = async () => {
    const body = JSON.stringify(deployment);
    const results = (await fetch(worker.url, { method: 'POST', body })).body;
    for await (const line of createInterface(Readable.fromWeb(results as never))) {
      tell(JSON.parse(line));
    }
  };
  try {
    await Promise.race([run(), worker.end]);
  } catch (cause) {
    throw new Error(`The Worker failed: ${cause}\n${worker.said()}`, { cause });
  } finally {
    await worker.close();
  }
}
