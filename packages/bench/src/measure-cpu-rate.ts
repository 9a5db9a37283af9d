import type { ChildProcess } from 'node:child_process';
import { cpuSeconds } from './cpu-seconds.ts';
import { type Call, load } from './load.ts';

/**
 * Requests that a server answers by second of processor time that it uses, which is what it would do in a
 * second on a core of its own, whoever else runs here. Requests by second where there is no such clock.
 */
export async function measureCpuRate(
  { pid = 0 }: ChildProcess,
  call: Call,
  seconds: number,
): Promise<number> {
  const before = cpuSeconds(pid);
  const rate = await load(call, seconds);
  const after = cpuSeconds(pid);
  return before === undefined || after === undefined ? rate : (rate * seconds) / (after - before);
}
