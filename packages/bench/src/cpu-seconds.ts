import { readFileSync } from 'node:fs';

/** Clock ticks a second in `/proc`, which Linux fixes for programs (proc_pid_stat(5), `utime`). */
const TICKS = 100;

/** Seconds of processor time that a process has used so far; `undefined` where there is no `/proc`. */
export function cpuSeconds(pid: number): number | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The second field, the name, may hold spaces; `utime` and `stime` are the 14th and 15th.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return (Number(fields[11]) + Number(fields[12])) / TICKS;
  } catch {
    return undefined;
  }
}
