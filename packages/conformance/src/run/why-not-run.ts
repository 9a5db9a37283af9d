import { createRequire } from 'node:module';
import type { Run } from '../context/run.ts';
import { isSelected, type Need, type Runnable } from '../contract/catalog.ts';
import { disabled, type NotRun, skipped } from '../not-run.ts';

export function whyNotRun(run: Run, runnable: Runnable): NotRun | undefined {
  const { settings, signal, missing } = run;
  const { api, needs } = runnable;
  if (!isSelected(runnable, settings.only)) return disabled('not in --only');
  if (signal.aborted) return skipped(String(signal.reason));
  if (!settings.apis.includes(api)) return disabled(`no --${api}-url`);
  for (const need of needs) {
    const reason = NEEDS[need](run);
    if (reason) return reason;
  }
  // Every call to this API is rejected.
  return missing[api];
}

const NEEDS: Record<Need, (run: Run) => NotRun | undefined> = {
  // Every operator can deploy the service and allow upgrades.
  fixture: ({ missing }) => missing.fixture,
  webSocket: ({ missing }) => missing.webSocket,
  bearer: ({ signers }) => unless(signers.gateway.bearer, '--gateway-token'),
  signature: ({ signers }) =>
    unless(signers.gateway.signature, '--tc3-secret-id and --tc3-secret-key'),
  otherEnvToken: ({ settings }) => unless(settings.otherEnvToken, '--other-env-token'),
  forbiddenService: ({ settings }) => unless(settings.forbiddenService, '--forbidden-service'),
  storageCredentials: ({ signers }) =>
    unless(signers.storage, '--storage-header or --tc3-secret-id'),
  writes: ({ settings }) => (settings.readOnly ? disabled('--read-only') : undefined),
  dredd() {
    const command = 'npm install --save-dev dredd';
    return isDreddInstalled() ? undefined : disabled(`Dredd is not installed: ${command}`);
  },
};

function unless(value: unknown, option: string): NotRun | undefined {
  return value ? undefined : disabled(`no ${option}`);
}

/** Dredd is an optional peer dependency, because it brings many packages that are deprecated. */
function isDreddInstalled(): boolean {
  try {
    createRequire(import.meta.url).resolve('dredd');
    return true;
  } catch {
    return false;
  }
}
