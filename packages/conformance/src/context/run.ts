import { randomBytes } from 'node:crypto';
import type { Api } from '../contract/openapi.ts';
import { listSecrets, Redactor } from '../credentials/redact.ts';
import { createSigners, type GatewayScheme } from '../credentials/sign.ts';
import { Caller } from '../http/caller.ts';
import { createAgents } from '../http/connection.ts';
import { Pace } from '../http/pace.ts';
import { Observer } from '../invariants/observer.ts';
import { type NotRun, skipped } from '../not-run.ts';
import type { Settings } from '../options.ts';

/** The folder for all files that runs store; emptied at the end. */
export const FOLDER = 'berth-conformance';

/** The state that all checks in a run share. */
export type Run = ReturnType<typeof createRun>;

export function createRun(settings: Settings, signal: AbortSignal) {
  const { timeoutMs, rate, onNotice } = settings;
  const pace = new Pace(
    (pause) => onNotice(`the target is rate-limiting; waiting ${Math.ceil(pause / 1000)} s`),
    rate,
  );
  const sent = { calls: 0 };
  const caller = new Caller({
    agents: createAgents(settings),
    pace,
    signal,
    timeout: timeoutMs,
    onSent() {
      sent.calls += 1;
    },
    onExchange: () => {},
  });
  return {
    settings,
    signal,
    /** Random part of every name that the run generates, so that it never touches real data. */
    mark: randomBytes(4).toString('hex'),
    pace,
    caller,
    sent,
    observer: new Observer(settings),
    signers: createSigners(settings),
    secrets: new Redactor(listSecrets(settings)),
    /** The paths where something may be stored, with the file ID if it is known, for the clean-up. */
    leftovers: new Map<string, string | undefined>(),
    /** How many contexts have been created: a sentence may have several checks. */
    contexts: { count: 0 },
    // What the deployment accepts; known before the first check.
    requestForm: settings.requestForm ?? 'top',
    copyPaths: settings.wireProfile.copyPaths,
    gatewayScheme: undefined as GatewayScheme | undefined,
    /** What it lacks: the fixture service, responses to WebSocket handshakes, or an API that accepts calls. */
    missing: { fixture: skipped('the run has not looked for the fixture service') } as Partial<
      Record<'fixture' | 'webSocket' | Api, NotRun | undefined>
    >,
  };
}

/** Returns the results in order of completion. */
export async function inParallel<Item, Value>(
  items: readonly Item[],
  max: number,
  work: (item: Item) => Promise<Value>,
): Promise<Value[]> {
  const waiting = [...items];
  const results: Value[] = [];
  const worker = async () => {
    for (let item = waiting.shift(); item; item = waiting.shift()) results.push(await work(item));
  };
  await Promise.all(Array.from({ length: max }, worker));
  return results;
}
