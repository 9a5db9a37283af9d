import { invariants } from '../checks/index.ts';
import { Run } from '../context/run.ts';
import { transactions } from '../contract/catalog.ts';
import { toSettings } from '../options.ts';
import { readOptions } from '../read-options.ts';
import { prepare } from '../run/prepare.ts';
import { removeLeftovers } from '../run/remove-leftovers.ts';
import { createHooks } from './hooks.ts';

/**
 * Opens a session for a Dredd process that the suite did not start. The `BERTH_*` variables describe the deployment.
 *
 * @param endpoint Dredd's endpoint, the default for both URLs
 * @throws StartError if the deployment does not respond, or rejects every credential
 */
export async function openSession(env: NodeJS.ProcessEnv, endpoint: string) {
  const { options, nameOf } = readOptions(env);
  const urls = { gatewayUrl: endpoint, storageUrl: endpoint };
  const settings = toSettings({ ...urls, ...options }, nameOf);
  const run = new Run(settings, new AbortController().signal, invariants);
  await prepare(run, transactions);
  return { handle: createHooks(run, () => {}), close: () => removeLeftovers(run) };
}
