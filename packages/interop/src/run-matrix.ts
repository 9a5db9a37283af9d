import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import type { Client, CreateClient } from './calls.ts';
import { CALL_IDS, type CallId, CHECKS, type Deployment } from './checks.ts';
import type { Generator } from './tools.ts';

/** Whether a call works as generated, needs a setting, or fails for a reason. */
type Cell = 'works' | 'setting' | { readonly fails: string };

export type Row = Readonly<Record<CallId, Cell>>;

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
  const late = setTimeout(limit, 'No response within the limit.', { ref: false });
  try {
    const done = CHECKS[call].run(client, deployment).then(() => undefined);
    return await Promise.race([done, late]);
  } catch (error) {
    return error instanceof Error ? error.message : JSON.stringify(error);
  }
}
