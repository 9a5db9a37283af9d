import { documents } from '../contract/documents.ts';
import { findProvocation } from '../provocations.ts';
import type { Result } from '../result.ts';
import type { Run } from '../run/run.ts';
import type { Transaction } from '../transaction.ts';

/** Operations whose calls change files. */
const CHANGES = ['batchDelete', 'batchCopyFile'];

/**
 * Whether Dredd can drive a documented answer at all. What it cannot drive is left to the checks of
 * single rules, and is no result of Dredd's.
 */
export function isDriven(transaction: Transaction, preferCode: boolean): boolean {
  const { api, operationId, status, contentType } = transaction;
  const isLeftOut = documents[api].copy['x-berth-left-out'].some(
    (entry) =>
      entry.operationId === operationId &&
      entry.status === status &&
      entry.contentType === contentType &&
      entry.example === undefined,
  );
  if (isLeftOut) return false;
  // The fixture service takes orders below its root only.
  if (operationId.endsWith('-root') && contentType === 'text/plain') return false;
  return findProvocation(transaction)?.kind !== 'none' || preferCode;
}

/** Why a documented answer is not driven in this run; `undefined` where it is. */
export function whyNotDriven(
  run: Run,
  transaction: Transaction,
): Pick<Result, 'outcome' | 'reason'> | undefined {
  const { settings, signal, signers, fixture } = run;
  const disabled = (reason: string) => ({ outcome: 'disabled' as const, reason });
  if (signal.aborted) return { outcome: 'skip', reason: String(signal.reason) };
  if (settings.only.length > 0 && !settings.only.includes('dredd'))
    return disabled('not in --only');
  if (settings.skip.includes('dredd')) return disabled('--skip');
  const { api } = transaction;
  if (!settings.apis.includes(api)) return disabled(`no --${api}-url`);
  const reason = run.refused[api]?.reason;
  if (reason !== undefined) return { outcome: 'skip', reason };
  if (api === 'storage') {
    if (!signers.storage) return disabled('no --storage-header, --tc3-secret-id or --auth-module');
    const isRefused = transaction.status !== '200';
    const changes = CHANGES.includes(transaction.operationId) && !isRefused;
    return settings.readOnly && changes ? disabled('--read-only') : undefined;
  }
  const { kind } = findProvocation(transaction) ?? {};
  if (kind === 'forbidden-service') {
    return settings.forbiddenService ? undefined : disabled('no --forbidden-service');
  }
  return kind === undefined && fixture !== true ? { outcome: 'skip', reason: fixture } : undefined;
}
