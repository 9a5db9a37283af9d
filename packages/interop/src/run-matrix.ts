import { join } from 'node:path';
import type { CallId, Calls, Client } from './calls.ts';
import { CHECKS, type Deployment } from './checks.ts';
import type { Generator } from './tools.ts';

/** Whether a call works as generated, needs a setting, or fails for a reason. */
export type Cell = 'works' | 'setting' | { readonly fails: string };

export type Row = Readonly<Record<CallId, Cell>>;

export const CALL_IDS = Object.keys(CHECKS) as CallId[];

/** Long for a call on loopback: it ends those that wait for the end of an event stream. */
const LIMIT = 2_000;

/** Calls a deployment with a generated client. */
export async function runGenerator({ id }: Generator, deployment: Deployment): Promise<Row> {
  const file = join(import.meta.dirname, `../clients/${id}.ts`);
  const client: Client = await import(/* @vite-ignore */ file);
  const cells: [CallId, Cell][] = [];
  for (const call of CALL_IDS) {
    const plain = await fault(call, client.plain(deployment), deployment);
    if (plain === undefined) {
      cells.push([call, 'works']);
      continue;
    }
    const configured = client.configured(deployment);
    const then = configured[call] && (await fault(call, configured as Calls, deployment));
    const works = configured[call] && then === undefined;
    cells.push([call, works ? 'setting' : { fails: then ?? plain }]);
  }
  return Object.fromEntries(cells) as Row;
}

async function fault(
  call: CallId,
  calls: Calls,
  deployment: Deployment,
): Promise<string | undefined> {
  const controller = new AbortController();
  const late = new Promise<never>((_, reject) => {
    const timer = setTimeout(() => reject(new Error('No response within the limit.')), LIMIT);
    controller.signal.addEventListener('abort', () => clearTimeout(timer));
  });
  try {
    await Promise.race([CHECKS[call].run(calls, deployment), late]);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : JSON.stringify(error);
  } finally {
    controller.abort();
  }
}
