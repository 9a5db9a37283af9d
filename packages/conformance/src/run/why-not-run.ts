import type { Run } from '../context/run.ts';
import { isSelected, type Need, type Runnable } from '../contract/catalog.ts';
import { DisabledError, type NotRunError, SkipError } from '../errors.ts';
import { CREDENTIALS } from '../http/sign.ts';

/** Returns why a check, a transaction or a workflow must not run. */
export function whyNotRun(run: Run, runnable: Runnable): NotRunError | undefined {
  const { settings, signal, accepted } = run;
  const { api, needs } = runnable;
  if (!isSelected(runnable, settings.only)) return new DisabledError('not in --only');
  if (!settings.apis.includes(api)) return new DisabledError(`no --${api}-url`);
  if (signal.aborted) return new SkipError(String(signal.reason));
  const reasons = needs.map((need) => NEEDS[need](run));
  // If every call to the API is rejected, that explains more than a credential that was not provided.
  return accepted.missing[api] ?? reasons.find((reason) => reason !== undefined);
}

const NEEDS: Record<Need, (run: Run) => NotRunError | undefined> = {
  // Skipped rather than disabled, because any operator can deploy the service and allow upgrades.
  fixture: ({ accepted }) => accepted.missing.fixture,
  webSocket: ({ accepted }) => accepted.missing.webSocket,
  alsoWebSocket: ({ accepted: { missing } }) =>
    missing.webSocket && new DisabledError(missing.webSocket.message),
  bearer: ({ signers }) => without(!signers.has('bearer') && CREDENTIALS.bearer),
  signature: ({ signers }) => without(!signers.has('signature') && CREDENTIALS.signature),
  storageCredentials: ({ signers }) => without(!signers.has('storage') && CREDENTIALS.storage),
  otherEnvToken: ({ settings }) => without(!settings.otherEnvToken && '--other-env-token'),
  forbiddenService: ({ settings }) => without(!settings.forbiddenService && '--forbidden-service'),
  writes: ({ settings }) => (settings.readOnly ? new DisabledError('--read-only') : undefined),
};

function without(option: string | false | undefined): NotRunError | undefined {
  return option ? new DisabledError(`no ${option}`) : undefined;
}
