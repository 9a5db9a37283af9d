import { join } from 'node:path';
import type { CallId, Client, CreateClient } from './calls.ts';
import { CHECKS, type Deployment } from './checks.ts';
import type { Generator } from './tools.ts';

/** Whether a call works as generated, needs a setting, or fails for a reason. */
type Cell = 'works' | 'setting' | { readonly fails: string };

export type Row = Readonly<Record<CallId, Cell>>;

export const CALL_IDS = Object.keys(CHECKS) as CallId[];

/** Ends a test that hangs, in milliseconds. */
const LIMIT = 300_000;
/** A client that waits for the end of an event stream, in place of its first event, waits forever. */
const EVENTS_LIMIT = 3_000;

/** Makes every call in the matrix with a generated client, and returns the results as a row. */
export async function runGenerator({ id }: Generator, deployment: Deployment): Promise<Row> {
  const file = join(import.meta.dirname, `../clients/${id}.ts`);
  const { create }: { create: CreateClient } = await import(/* @vite-ignore */ file);
  const cells: [CallId, Cell][] = [];
  for (const call of CALL_IDS) {
    const limit = call === 'events' ? EVENTS_LIMIT : LIMIT;
    const plain = await fault(call, create(deployment, false), deployment, limit);
    if (plain === undefined) {
      cells.push([call, 'works']);
      continue;
    }
    const configured = await fault(call, create(deployment, true), deployment, LIMIT);
    cells.push([call, configured === undefined ? 'setting' : { fails: configured }]);
  }
  return Object.fromEntries(cells) as Row;
}

async function fault(
  call: CallId,
  client: Client,
  deployment: Deployment,
  limit: number,
): Promise<string | undefined> {
  const controller = new AbortController();
  const late = new Promise<never>((_, reject) => {
    const timer = setTimeout(() => reject(new Error('No response within the limit.')), limit);
    controller.signal.addEventListener('abort', () => clearTimeout(timer));
  });
  try {
    await Promise.race([CHECKS[call].run(client, deployment), late]);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : JSON.stringify(error);
  } finally {
    controller.abort();
  }
}
