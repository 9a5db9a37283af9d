import type { Run } from '../context/run.ts';
import { isSelected, type Need, type Runnable } from '../contract/catalog.ts';
import { CREDENTIALS } from '../http/sign.ts';
import { disabled, type NotRun, skipped } from '../result.ts';

export function whyNotRun(run: Run, runnable: Runnable): NotRun | undefined {
  return (
    whyExcluded(run, runnable) ??
    whyNotProvided(run, runnable) ??
    // Every call to this API is rejected.
    run.accepted.missing[runnable.api]
  );
}

export function whyExcluded({ settings, signal }: Run, runnable: Runnable): NotRun | undefined {
  const { api } = runnable;
  if (!isSelected(runnable, settings.only)) return disabled('not in --only');
  if (signal.aborted) return skipped(String(signal.reason));
  return settings.apis.includes(api) ? undefined : disabled(`no --${api}-url`);
}

export function whyNotProvided(run: Run, { needs }: Runnable): NotRun | undefined {
  for (const need of needs) {
    const reason = NEEDS[need](run);
    if (reason) return reason;
  }
  return undefined;
}

const NEEDS: Record<Need, (run: Run) => NotRun | undefined> = {
  // Skipped rather than disabled, because any operator can deploy the service and allow upgrades.
  fixture: ({ accepted }) => accepted.missing.fixture,
  webSocket: ({ accepted }) => accepted.missing.webSocket,
  alsoWebSocket: ({ accepted: { missing } }) =>
    missing.webSocket && disabled(missing.webSocket.reason),
  bearer: ({ signers }) => without(!signers.has('bearer') && CREDENTIALS.bearer),
  signature: ({ signers }) => without(!signers.has('signature') && CREDENTIALS.signature),
  storageCredentials: ({ signers }) => without(!signers.has('storage') && CREDENTIALS.storage),
  otherEnvToken: ({ settings }) => without(!settings.otherEnvToken && '--other-env-token'),
  forbiddenService: ({ settings }) => without(!settings.forbiddenService && '--forbidden-service'),
  writes: ({ settings }) => (settings.readOnly ? disabled('--read-only') : undefined),
};

function without(option: string | false | undefined): NotRun | undefined {
  return option ? disabled(`no ${option}`) : undefined;
}
