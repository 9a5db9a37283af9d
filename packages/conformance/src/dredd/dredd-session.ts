import { invariants } from '../checks/index.ts';
import { readOptions } from '../cli/options.ts';
import { createObservedRun, createResources } from '../context/run.ts';
import { StartError } from '../not-run.ts';
import { toSettings } from '../options.ts';
import { prepare } from '../run/prepare.ts';
import { removeLeftovers } from '../run/remove-leftovers.ts';
import { createHooks } from './hooks.ts';

/**
 * Opens a session of Dredd, when it is not started by the suite, with the deployment that the `BERTH_*` variables
 * describe.
 *
 * @param endpoint of Dredd; the default of both URLs
 * @throws StartError if the deployment does not respond, or rejects every credential
 */
export async function openSession(env: NodeJS.ProcessEnv, endpoint: string) {
  const { run: options, nameOf } = readOptions(env);
  const urls = { gatewayUrl: endpoint, storageUrl: endpoint };
  const settings = toSettings({ ...urls, ...options }, nameOf);
  const resources = createResources(settings, new AbortController().signal, invariants);
  const accepted = await prepare(resources).catch((error) => {
    if (!(error instanceof StartError)) throw error;
    // It quotes what the target responded, which may be a credential.
    throw new StartError(resources.secrets.redact(error.message));
  });
  const run = createObservedRun(resources, accepted);
  return { handle: createHooks(run, () => {}), close: () => removeLeftovers(run) };
}
