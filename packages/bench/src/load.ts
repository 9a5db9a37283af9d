import type { ChildProcess } from 'node:child_process';
import autocannon from 'autocannon';
import { cpuSeconds, LOAD_CORE, startProcess } from './processes.ts';

export type Call = {
  url: string;
  method: 'GET' | 'POST';
  headers: Record<string, string>;
  body?: string;
};

/**
 * Returns the requests per second over `seconds`, sent by a separate process over 32 keep-alive
 * connections.
 */
export async function load(call: Call, seconds = 3): Promise<number> {
  const child = startProcess(
    [import.meta.filename, JSON.stringify(call), String(seconds)],
    LOAD_CORE,
  );
  const chunks: Buffer[] = [];
  child.stdout?.on('data', (chunk: Buffer) => chunks.push(chunk));
  await new Promise((resolve) => child.on('close', resolve));
  const { rate, wrong } = JSON.parse(Buffer.concat(chunks).toString());
  if (wrong > 0) throw new Error(`${call.url}: ${wrong} calls failed or did not return 200.`);
  return rate;
}

/**
 * Returns requests per second of server CPU time: the throughput of a dedicated core, regardless of
 * other load. Falls back to requests per second if CPU time is not available.
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

if (import.meta.main) {
  const [call, seconds] = process.argv.slice(2) as [string, string];
  const result = await autocannon({
    ...JSON.parse(call),
    connections: 32,
    duration: Number(seconds),
  });
  const wrong = result.errors + result.timeouts + result.non2xx;
  process.stdout.write(JSON.stringify({ rate: result.requests.average, wrong }));
}
