import { checks } from '../checks/index.ts';
import type { Run } from '../context/run.ts';
import { lacking, leftOut, noUrl, refused } from '../context/skip-reason.ts';
import { StartError } from '../result.ts';
import { findCopyPaths, findGatewayCredentials, findStorageForm, probe } from './find-targets.ts';
import { findWebSockets } from './find-web-sockets.ts';

/**
 * Finds out what a run needs to know about the deployment.
 *
 * @throws StartError if a target does not respond, or none accepts the credentials
 */
export async function prepare(run: Run): Promise<void> {
  const { apis } = run.settings;
  const find = { gateway: findGatewayCredentials, storage: findStorageForm };
  try {
    await Promise.all(apis.map((api) => probe(api, run.settings[`${api}Url`], run)));
    await Promise.all(apis.map((api) => find[api](run)));
    await Promise.all([
      mayCopy(run) && findCopyPaths(run),
      run.fixture === true && mayUpgrade(run) && findWebSockets(run),
    ]);
  } catch (error) {
    // Every check then reports why it did not run.
    if (!run.signal.aborted) throw error;
  }
  const refusals = apis.map((api) => run.refused[api]);
  if (!refusals.every((refusal) => refusal?.isOfCredentials)) return;
  const reasons = refusals.map((refusal) => refusal?.reason);
  throw new StartError(`Nothing can be checked: ${reasons.join('; ')}.`);
}

/** Whether the operator selected a check that may copy files. */
function mayCopy(run: Run): boolean {
  const writing = checks.filter(({ needs }) => needs.includes('writes')).map(({ id }) => id);
  const isSelected = [...writing, 'dredd', 'respect'].some((id) => !leftOut(run, id));
  const needs = lacking(run, ['storageCredentials', 'writes']);
  return isSelected && !(noUrl(run, 'storage') ?? refused(run, 'storage') ?? needs);
}

/** Whether the operator selected a check that opens WebSockets. */
function mayUpgrade(run: Run): boolean {
  return checks.some(({ id, needs }) => needs.includes('webSocket') && !leftOut(run, id));
}
