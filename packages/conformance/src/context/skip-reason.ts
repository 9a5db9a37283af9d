import type { WireProfile } from '@berth/spec/wire-profile';
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

/**
 * Returns why a check does not run, or `undefined` if it does.
 *
 * @param ids its ID, and that of its engine
 */
export function findSkipReason(
  run: Run,
  ids: readonly string[],
  api: Api,
  needs: readonly Need[],
): SkipReason | undefined {
  return leftOut(run, ...ids) ?? findObstacle(run, api, needs);
}

/** Returns what keeps a check that the operator selected from running. */
export function findObstacle(run: Run, api: Api, needs: readonly Need[]): SkipReason | undefined {
  if (!run.settings.apis.includes(api)) return disabled(`no --${api}-url`);
  const need = needs.find((one) => !NEEDS[one].isMet(run));
  if (need === 'fixture' || need === 'webSocket') return skipped(String(run[need]));
  if (need === 'writes') return disabled('--read-only');
  if (need) return disabled(`no ${describeNeed(need, run.settings.wireProfile)}`);
  // Every call to this API is rejected.
  const { reason } = run.refused[api] ?? {};
  return reason === undefined ? undefined : skipped(reason);
}

/** Returns what an operator must provide: an option, or a part of the deployment. */
function describeNeed(need: Need, profile: WireProfile): string {
  const { what } = NEEDS[need];
  return typeof what === 'string' ? what : what(profile);
}

type NeedRow = {
  isMet: (run: Run) => unknown;
  what: string | ((profile: WireProfile) => string);
};

const NEEDS: Record<Need, NeedRow> = {
  fixture: { isMet: ({ fixture }) => fixture === true, what: 'the fixture service' },
  webSocket: { isMet: ({ webSocket }) => webSocket === true, what: 'WebSocket upgrades' },
  bearer: { isMet: ({ signers }) => signers.gateway.bearer, what: '--gateway-token' },
  signature: {
    isMet: ({ signers }) => signers.gateway.signature,
    what: '--tc3-secret-id and --tc3-secret-key',
  },
  otherEnvToken: { isMet: ({ settings }) => settings.otherEnvToken, what: '--other-env-token' },
  forbiddenService: {
    isMet: ({ settings }) => settings.forbiddenService,
    what: '--forbidden-service',
  },
  storageCredentials: {
    isMet: ({ signers }) => signers.storage,
    what: '--storage-header or --tc3-secret-id',
  },
  sessionToken: {
    isMet: ({ settings: { storageHeaders, wireProfile } }) => {
      const names = Object.keys(storageHeaders).map((header) => header.toLowerCase());
      return (
        names.length === 0 || names.includes(wireProfile.storageHeaders.sessionToken.toLowerCase())
      );
    },
    what: ({ storageHeaders }) => `--storage-header '${storageHeaders.sessionToken}: …'`,
  },
  writes: { isMet: ({ settings }) => !settings.readOnly, what: 'a run without --read-only' },
};
