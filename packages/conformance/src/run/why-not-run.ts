import type { Check, Need } from '../checks/check.ts';
import type { Run } from '../context/run.ts';
import type { Api } from '../contract/openapi.ts';
import { hasRule } from '../contract/rule-sets.ts';
import { findRule } from '../contract/rules.ts';
import type { Outcome } from '../result.ts';

interface Reason {
  outcome: Extract<Outcome, 'skip' | 'disabled'>;
  reason: string;
}

/** Why a check is not made at all; `undefined` where it is. */
export function whyNotRun(run: Run, { rule, needs }: Check): Reason | undefined {
  const { settings, signal } = run;
  if (signal.aborted) return { outcome: 'skip', reason: String(signal.reason) };
  const isNamed = (names: readonly string[]) => names.some((name) => rule.startsWith(name));
  if (settings.only.length > 0 && !isNamed(settings.only)) return disabled('not in --only');
  if (isNamed(settings.skip)) return disabled('--skip');
  if (!hasRule(settings.rules, rule)) return disabled(`not in the rules ${settings.rules}`);
  if (settings.level === 'must' && findRule(rule).level !== 'must') return disabled('--level must');
  const api = toApi(rule);
  if (!settings.apis.includes(api)) return disabled(`no --${api}-url`);
  for (const need of needs) {
    const reason = NEEDS[need](run);
    if (reason) return reason;
  }
  const reason = run.refused[api]?.reason;
  return reason === undefined ? undefined : { outcome: 'skip', reason };
}

/** Which of the two APIs the check of a rule calls. */
function toApi(rule: string): Api {
  return rule.startsWith('GW-') || /^AU-(?!STORAGE)/.test(rule) ? 'gateway' : 'storage';
}

const NEEDS: Record<Need, (run: Run) => Reason | undefined> = {
  fixture: ({ fixture }) => (fixture === true ? undefined : { outcome: 'skip', reason: fixture }),
  bearer: ({ signers }) => (signers.gateway.bearer ? undefined : disabled('no --gateway-token')),
  signature: ({ signers }) =>
    signers.gateway.signature ? undefined : disabled('no --tc3-secret-id and --tc3-secret-key'),
  otherEnvToken: ({ settings }) =>
    settings.otherEnvToken ? undefined : disabled('no --other-env-token'),
  forbiddenService: ({ settings }) =>
    settings.forbiddenService ? undefined : disabled('no --forbidden-service'),
  storageCredentials: ({ signers }) =>
    signers.storage ? undefined : disabled('no --storage-header, --tc3-secret-id or --auth-module'),
  sessionToken: ({ settings: { storageHeaders, wireProfile } }) => {
    const name = wireProfile.storageHeaders.sessionToken;
    const given = Object.keys(storageHeaders).map((header) => header.toLowerCase());
    const isGiven = given.length === 0 || given.includes(name.toLowerCase());
    return isGiven ? undefined : disabled(`no --storage-header '${name}: …'`);
  },
  writes: ({ settings }) => (settings.readOnly ? disabled('--read-only') : undefined),
};

function disabled(reason: string): Reason {
  return { outcome: 'disabled', reason };
}
