import { invariants } from '../checks/index.ts';
import { Run } from '../context/run.ts';
import { transactions } from '../contract/catalog.ts';
import { toSettings } from '../options.ts';
import { readOptions } from '../read-options.ts';
import { prepare } from '../run/prepare.ts';
import { removeLeftovers } from '../run/remove-leftovers.ts';
import { createHooks } from './hooks.ts';

/**
 * Opens the session of a Dredd that the suite did not start, with the deployment in the `BERTH_*` variables.
 *
 * @param endpoint of Dredd; the default of both URLs
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
