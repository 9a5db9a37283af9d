import type { Api } from '../contract/openapi.ts';
import { NetworkFault, Throttled } from '../http/faults.ts';
import { whyLeftOut } from '../options.ts';
import { Failed, Inapplicable, type Result, Unreached } from '../result.ts';
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
  if (error instanceof Failed) return { outcome: 'fail' };
  if (error instanceof Unreached || error instanceof Throttled) return skipped(message);
  if (error instanceof Inapplicable) return disabled(message);
  if (error instanceof NetworkFault) return { outcome: 'error', reason: message };
  return { outcome: 'error', reason: `bug in the suite: ${stack ?? error}` };
}

/**
 * Returns the skip reason for a check that the operator left out, or for any check once the run has been
 * aborted.
 *
 * @param ids rule ID, name of a transaction, `dredd` or `respect`, which `--only` and `--skip` match by prefix
 */
export function leftOut({ settings, signal }: Run, ...ids: string[]): SkipReason | undefined {
  if (signal.aborted) return skipped(String(signal.reason));
  const reason = whyLeftOut(ids, settings);
  return reason === undefined ? undefined : disabled(reason);
}

export function noUrl({ settings }: Run, api: Api): SkipReason | undefined {
  return settings.apis.includes(api) ? undefined : disabled(`no --${api}-url`);
}

/** Returns the skip reason for a check of an API that rejects every call. */
export function refused(run: Run, api: Api): SkipReason | undefined {
  const { reason } = run.refused[api] ?? {};
  return reason === undefined ? undefined : skipped(reason);
}

export function lacking(run: Run, needs: readonly Need[]): SkipReason | undefined {
  const need = needs.find((one) => !NEEDS[one].isMet(run));
  if (need === 'fixture' || need === 'webSocket') return skipped(String(run[need]));
  return need && disabled(NEEDS[need].option(run));
}

const NEEDS: Record<Need, { isMet: (run: Run) => unknown; option: (run: Run) => string }> = {
  fixture: { isMet: ({ fixture }) => fixture === true, option: () => '' },
  webSocket: { isMet: ({ webSocket }) => webSocket === true, option: () => '' },
  bearer: { isMet: ({ signers }) => signers.gateway.bearer, option: () => 'no --gateway-token' },
  signature: {
    isMet: ({ signers }) => signers.gateway.signature,
    option: () => 'no --tc3-secret-id and --tc3-secret-key',
  },
  otherEnvToken: {
    isMet: ({ settings }) => settings.otherEnvToken,
    option: () => 'no --other-env-token',
  },
  forbiddenService: {
    isMet: ({ settings }) => settings.forbiddenService,
    option: () => 'no --forbidden-service',
  },
  storageCredentials: {
    isMet: ({ signers }) => signers.storage,
    option: () => 'no --storage-header or --tc3-secret-id',
  },
  sessionToken: {
    isMet: ({ settings: { storageHeaders, wireProfile } }) => {
      const given = Object.keys(storageHeaders).map((header) => header.toLowerCase());
      return (
        given.length === 0 || given.includes(wireProfile.storageHeaders.sessionToken.toLowerCase())
      );
    },
    option: ({ settings: { wireProfile } }) =>
      `no --storage-header '${wireProfile.storageHeaders.sessionToken}: …'`,
  },
  writes: { isMet: ({ settings }) => !settings.readOnly, option: () => '--read-only' },
};
