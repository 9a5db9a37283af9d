import type { Result } from '../result.ts';
import type { Run } from '../run/run.ts';
import type { WorkflowFile } from './workflows.ts';

/** Why the workflows of a file are not run; `undefined` where they are. */
export function whyNotRun(
  run: Run,
  { writes, name }: WorkflowFile,
): Pick<Result, 'outcome' | 'reason'> | undefined {
  const { settings, signal, signers, fixture } = run;
  const disabled = (reason: string) => ({ outcome: 'disabled' as const, reason });
  if (signal.aborted) return { outcome: 'skip', reason: String(signal.reason) };
  if (settings.only.length > 0 && !settings.only.includes('respect'))
    return disabled('not in --only');
  if (settings.skip.includes('respect')) return disabled('--skip');
  if (writes && settings.readOnly) return disabled('--read-only');
  const api = name === 'gateway' ? 'gateway' : 'storage';
  if (!settings.apis.includes(api)) return disabled(`no --${api}-url`);
  const refusal = run.refused[api]?.reason;
  if (refusal !== undefined) return { outcome: 'skip', reason: refusal };
  if (api === 'storage') {
    return signers.storage
      ? undefined
      : disabled('no --storage-header, --tc3-secret-id or --auth-module');
  }
  return fixture === true ? undefined : { outcome: 'skip', reason: fixture };
}
