import { readFileSync } from 'node:fs';

/** Resident memory of a process; `undefined` where there is no `/proc`. */
export function residentKilobytes(pid: number): number | undefined {
  try {
    return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]);
  } catch {
    return undefined;
  }
}
