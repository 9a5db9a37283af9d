import type { Need, Runnable } from '../contract/catalog.ts';
import { DisabledError, type NotRunError, SkipError } from '../errors.ts';
import type { CredentialKind } from '../http/sign.ts';
import { nameCredentials } from '../options.ts';
import type { Run } from './run.ts';

/** Returns what keeps a check, a transaction or a workflow from running. */
export function findBlocker(run: Run, runnable: Runnable): NotRunError | undefined {
  const { settings, signal, deployment } = run;
  const { nameOf } = settings;
  const { needs, sentence } = runnable;
  const { api } = runnable.case;
  if (!settings.selects(runnable.case, sentence))
    return new DisabledError(`not in ${nameOf('only')}`);
  if (!settings.apis.includes(api)) return new DisabledError(`no ${nameOf(`${api}Url`)}`);
  if (signal.aborted) return new SkipError(String(signal.reason));
  const reasons = needs.map((need) => NEEDS[need](run));
  // If every call to the API is rejected, that explains more than a credential that was not provided.
  return deployment.unavailable[api] ?? reasons.find((reason) => reason !== undefined);
}

const NEEDS: Record<Need, (run: Run) => NotRunError | undefined> = {
  // Skipped rather than disabled, because any operator can deploy the service and allow upgrades.
  fixture: ({ deployment }) => deployment.unavailable.fixture,
  webSocket: ({ deployment }) => deployment.unavailable.webSocket,
  alsoWebSocket: ({ deployment: { unavailable } }) =>
    unavailable.webSocket && new DisabledError(unavailable.webSocket.message),
  bearer: (run) => unlessSigned(run, 'bearer'),
  signature: (run) => unlessSigned(run, 'signature'),
  storageCredentials: (run) => unlessSigned(run, 'storage'),
  otherEnvToken: (run) => unlessSet(run, 'otherEnvToken'),
  forbiddenService: (run) => unlessSet(run, 'forbiddenService'),
  writes: ({ settings: { readOnly, nameOf } }) =>
    readOnly ? new DisabledError(nameOf('readOnly')) : undefined,
};

function unlessSigned({ signers, settings }: Run, kind: CredentialKind) {
  return signers.has(kind) ? undefined : new DisabledError(`no ${nameCredentials(settings)[kind]}`);
}

function unlessSet({ settings }: Run, option: 'otherEnvToken' | 'forbiddenService') {
  return settings[option] ? undefined : new DisabledError(`no ${settings.nameOf(option)}`);
}
