import type { Api } from '../contract/openapi.ts';
import { NetworkError, ThrottledError } from '../http/connection.ts';
import { whyLeftOut } from '../options.ts';
import {
  DisabledError,
  disabled,
  FailError,
  type Result,
  SkipError,
  type SkipReason,
  skipped,
} from '../result.ts';
import type { Run } from './run.ts';

/** Returns the outcome of a check that an error has ended. */
export function toEnding(
  error: unknown,
  { signal }: Pick<Run, 'signal'>,
): Pick<Result, 'outcome' | 'reason'> {
  const { message, stack } = error as Error;
  if (signal.aborted) return skipped(String(signal.reason));
  if (error instanceof FailError) return { outcome: 'fail' };
  if (error instanceof SkipError || error instanceof ThrottledError) return skipped(message);
  if (error instanceof DisabledError) return disabled(message);
  if (error instanceof NetworkError) return { outcome: 'error', reason: message };
  return { outcome: 'error', reason: `bug in the suite: ${stack ?? error}` };
}

/**
 * Returns the skip reason for a check that the operator left out, or for any check once the run has been aborted.
 *
 * @param ids rule ID, name of a transaction, `dredd` or `respect`, which `--only` matches by prefix
 */
export function findExclusion(
  { settings, signal }: Run,
  ...ids: readonly string[]
): SkipReason | undefined {
  const reason = whyLeftOut(ids, settings);
  if (reason !== undefined) return disabled(reason);
  return signal.aborted ? skipped(String(signal.reason)) : undefined;
}

/** What a check may need that an operator may not have. */
const NEEDS = {
  // Every operator can deploy the service and allow upgrades.
  fixture: ({ missing }: Run) => missing.fixture,
  webSocket: ({ missing }: Run) => missing.webSocket,
  bearer: ({ signers }: Run) => unless(signers.gateway.bearer, '--gateway-token'),
  signature: ({ signers }: Run) =>
    unless(signers.gateway.signature, '--tc3-secret-id and --tc3-secret-key'),
  otherEnvToken: ({ settings }: Run) => unless(settings.otherEnvToken, '--other-env-token'),
  forbiddenService: ({ settings }: Run) => unless(settings.forbiddenService, '--forbidden-service'),
  storageCredentials: ({ signers }: Run) =>
    unless(signers.storage, '--storage-header or --tc3-secret-id'),
  sessionToken: ({ settings: { storageHeaders, wireProfile } }: Run) => {
    const { sessionToken } = wireProfile.storageHeaders;
    const names = Object.keys(storageHeaders).map((header) => header.toLowerCase());
    const isMet = names.length === 0 || names.includes(sessionToken.toLowerCase());
    return unless(isMet, `--storage-header '${sessionToken}: …'`);
  },
  writes: ({ settings }: Run) => (settings.readOnly ? disabled('--read-only') : undefined),
};

export type Need = keyof typeof NEEDS;

function unless(value: unknown, option: string): SkipReason | undefined {
  return value ? undefined : disabled(`no ${option}`);
}

/** Returns what keeps a check that the operator selected from running. */
export function findObstacle(run: Run, api: Api, needs: readonly Need[]): SkipReason | undefined {
  if (!run.settings.apis.includes(api)) return disabled(`no --${api}-url`);
  for (const need of needs) {
    const obstacle = NEEDS[need](run);
    if (obstacle) return obstacle;
  }
  // Every call to this API is rejected.
  const { reason } = run.refused[api] ?? {};
  return reason === undefined ? undefined : skipped(reason);
}
