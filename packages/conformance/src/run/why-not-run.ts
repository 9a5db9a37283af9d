import { createRequire } from 'node:module';
import type { Run } from '../context/run.ts';
import { isSelected, type Need, type Runnable } from '../contract/catalog.ts';
import { disabled, type NotRun, skipped } from '../result.ts';

export function whyNotRun(run: Run, runnable: Runnable): NotRun | undefined {
  const { settings, signal } = run;
  const { api, needs } = runnable;
  if (!isSelected(runnable, settings.only)) return disabled('not in --only');
  if (signal.aborted) return skipped(String(signal.reason));
  if (!settings.apis.includes(api)) return disabled(`no --${api}-url`);
  for (const need of needs) {
    const reason = NEEDS[need](run);
    if (reason) return reason;
  }
  // Every call to this API is rejected.
  return run.accepted.missing[api];
}

const NEEDS: Record<Need, (run: Run) => NotRun | undefined> = {
  // Every operator can deploy the service and allow upgrades.
  fixture: ({ accepted }) => accepted.missing.fixture,
  webSocket: ({ accepted }) => accepted.missing.webSocket,
  alsoWebSocket: ({ accepted: { missing } }) =>
    missing.webSocket && disabled(missing.webSocket.reason),
  bearer: ({ signers }) => without(signers.missing('bearer')),
  signature: ({ signers }) => without(signers.missing('signature')),
  storageCredentials: ({ signers }) => without(signers.missing('storage')),
  otherEnvToken: ({ settings }) => without(!settings.otherEnvToken && '--other-env-token'),
  forbiddenService: ({ settings }) => without(!settings.forbiddenService && '--forbidden-service'),
  writes: ({ settings }) => (settings.readOnly ? disabled('--read-only') : undefined),
  dredd: whyNoDredd,
};

function without(option: string | false | undefined): NotRun | undefined {
  return option ? disabled(`no ${option}`) : undefined;
}

/** Dredd is an optional peer dependency, because it brings many packages that are deprecated. */
function whyNoDredd(): NotRun | undefined {
  try {
    createRequire(import.meta.url).resolve('dredd');
    return undefined;
  } catch {
    return disabled('Dredd is not installed: npm install --save-dev dredd');
  }
}
