import type { ServerProcess } from './start-process.ts';

/** Operations that a process has answered well, as its own metrics tell, in order of their names. */
export async function listOperations({ adminUrl }: ServerProcess): Promise<string[]> {
  const metrics = await (await fetch(`${adminUrl}/metrics`)).text();
  const counted = metrics.matchAll(/^berth_calls_total\{.*operation="(.+?)",status="2xx"/gm);
  return [...new Set([...counted].map(([, operation]) => operation as string))].sort();
}
