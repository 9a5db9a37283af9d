import type { Api } from '../contract/openapi.ts';
import { NetworkError, ThrottledError } from '../http/connection.ts';
import { whyLeftOut } from '../options.ts';
import { DisabledError, FailError, type Result, SkipError } from '../result.ts';
import type { Run } from './run.ts';

/**
 * Something that a check needs and that an operator may not have. Without it, the check is disabled. A check
 * that lacks the fixture service or WebSockets is skipped instead, because every operator can deploy the service and
 * allow upgrades.
 */
export type Need =
  | 'fixture'
  | 'webSocket'
  | 'bearer'
  | 'signature'
  | 'otherEnvToken'
  | 'forbiddenService'
  | 'storageCredentials'
  | 'sessionToken'
  | 'writes';

/** Why a check does not run. */
export type SkipReason = Required<Pick<Result, 'outcome' | 'reason'>>;

export function disabled(reason: string): SkipReason {
  return { outcome: 'disabled', reason };
}

function skipped(reason: string): SkipReason {
  return { outcome: 'skip', reason };
}

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
 * Returns the skip reason for a check that the operator left out, or for any check once the run has been
 * aborted.
 *
 * @param ids rule ID, name of a transaction, `dredd` or `respect`, which `--only` and `--skip` match by prefix
 */
export function leftOut(
  { settings, signal }: Run,
  ...ids: readonly string[]
): SkipReason | undefined {
  const reason = whyLeftOut(ids, settings);
  if (reason !== undefined) return disabled(reason);
  return signal.aborted ? skipped(String(signal.reason)) : undefined;
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

const NEEDS: Record<Need, (run: Run) => SkipReason | undefined> = {
  fixture: ({ fixture }) => (fixture === true ? undefined : skipped(fixture)),
  webSocket: ({ webSocket }) => (webSocket === true ? undefined : skipped(webSocket)),
  bearer: ({ signers }) => unless(signers.gateway.bearer, '--gateway-token'),
  signature: ({ signers }) =>
    unless(signers.gateway.signature, '--tc3-secret-id and --tc3-secret-key'),
  otherEnvToken: ({ settings }) => unless(settings.otherEnvToken, '--other-env-token'),
  forbiddenService: ({ settings }) => unless(settings.forbiddenService, '--forbidden-service'),
  storageCredentials: ({ signers }) =>
    unless(signers.storage, '--storage-header or --tc3-secret-id'),
  sessionToken: ({ settings: { storageHeaders, wireProfile } }) => {
    const { sessionToken } = wireProfile.storageHeaders;
    const names = Object.keys(storageHeaders).map((header) => header.toLowerCase());
    const isMet = names.length === 0 || names.includes(sessionToken.toLowerCase());
    return unless(isMet, `--storage-header '${sessionToken}: …'`);
  },
  writes: ({ settings }) => (settings.readOnly ? disabled('--read-only') : undefined),
};

function unless(value: unknown, option: string): SkipReason | undefined {
  return value ? undefined : disabled(`no ${option}`);
}
