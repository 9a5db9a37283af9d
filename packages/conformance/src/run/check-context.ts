import { findRule, type Need, placeOf, type Runnable } from '../contract/catalog.ts';
import type { SentenceId } from '../generated/rule-ids.gen.ts';
import type { Caller } from '../http/caller.ts';
import { createAgents } from '../http/connection.ts';
import type { Exchange } from '../http/exchange.ts';
import { createFixtureClient, type FixtureClient } from '../http/fixture-protocol.ts';
import type { Claim } from '../invariants/invariant.ts';
import type { InvariantId } from '../invariants/observer.ts';
import { quoteJson, quoteText } from '../results/redact.ts';
import { type Finding, MAX_FINDINGS, type PartialResult, withEvidence } from '../results/result.ts';
import { Files } from './files.ts';
import { createGatewayClient, type GatewayClient } from './gateway-client.ts';
import { decide, whyNotRun } from './outcome.ts';
import type { Run } from './run.ts';
import { createStorageClient, type StorageClient } from './storage-client.ts';

/** Makes calls for a sentence of a rule, and may assert something about their responses. A sentence may have several. */
export interface Check extends Runnable {
  id: SentenceId;
  perform: (context: CheckContext) => Promise<unknown>;
  startsFirst?: boolean;
}

/** Defines a check that must make assertions to pass. */
export function defineCheck(
  id: SentenceId,
  needs: readonly Need[],
  perform: Check['perform'],
): Check {
  return toCheck(id, needs, async (t) => {
    await perform(t);
    if (t.record.assertions === 0) throw new Error('the check made no assertions');
  });
}

function toCheck(id: SentenceId, needs: readonly Need[], perform: Check['perform']): Check {
  const { engine, api } = findRule(id);
  return { engine, id, api, needs, perform };
}

/** Waits for seconds, so it starts before others. */
export const startFirst = (check: Check): Check => ({ ...check, startsFirst: true });

/** Defines checks that only make calls, once a run for all sentences: their invariants check the responses. */
export function defineCalls(
  ids: readonly InvariantId[],
  needs: readonly Need[],
  makeCalls: (t: CallContext) => Promise<unknown>,
): Check[] {
  const makeOnce = oncePerRun(makeCalls);
  return ids.map((id) => toCheck(id, needs, makeOnce));
}

/** Clients for both APIs, and assertions about their responses. */
export class CheckContext {
  readonly run: Run;
  readonly madeBy: string;
  /** Makes calls to any URL. */
  readonly caller: Caller;
  readonly gateway: GatewayClient;
  /** The fixture service behind the gateway, for checks that need `fixture`. */
  readonly fixture: FixtureClient;
  readonly storage: StorageClient;
  readonly files: Files;
  readonly record = { findings: [] as Finding[], notes: [] as string[], assertions: 0 };
  /** How long it waited for calls that another check makes, in milliseconds. */
  waitedMs = 0;
  readonly #cited: Pick<Finding, 'sentence' | 'where'>;

  /**
   * @param madeBy what repeats its calls: see `Call`
   * @param sentence what findings are about; without one, nobody would report them
   */
  constructor(run: Run, madeBy: string, sentence?: SentenceId) {
    this.run = run;
    this.madeBy = madeBy;
    this.#cited = sentence ? { sentence, where: placeOf(findRule(sentence)) } : { where: '' };
    const topic = madeBy.toLowerCase().replace(/[^a-z\d]+/g, '-');
    this.caller = run.caller.with({ madeBy });
    this.gateway = createGatewayClient(run, this.caller);
    const call = (path: string) => this.gateway.call({ path });
    this.fixture = createFixtureClient(call, run.settings.timeoutMs);
    this.storage = createStorageClient(run, this.caller);
    const files = { run, caller: this.caller, storage: this.storage, assert: this.expect };
    this.files = new Files(files, `${run.newFolder(topic)}/`);
  }

  /**
   * Asserts something about a response. The check continues even if that fails.
   *
   * @param exchange the evidence; `undefined` if there was no response
   */
  expect = (holds: boolean, message: string, exchange: Exchange | undefined): void => {
    if (!this.#cited.sentence) throw new Error('only a check may make assertions');
    // Requests that the end of the run aborted are not the target's fault.
    if (this.run.signal.aborted) return;
    this.record.assertions += 1;
    if (!holds) this.fail(message, exchange);
  };

  /** Reports a violation, even if the run has ended since it was found. */
  fail(message: string, exchange: Exchange | undefined): void {
    const { findings } = this.record;
    if (findings.length >= MAX_FINDINGS) return;
    findings.push(withEvidence({ message, ...this.#cited }, exchange));
  }

  expectAll(claims: readonly Claim[], exchange: Exchange): void {
    for (const [holds, message] of claims) this.expect(holds, message, exchange);
  }

  expectEqual(what: string, actual: unknown, expected: unknown, exchange: Exchange): void {
    const shown = typeof actual === 'string' ? quoteText(actual) : quoteJson(actual);
    this.expect(actual === expected, `${what} must be ${expected}, not ${shown}`, exchange);
  }

  /** Provides clients with one connection. A call may be repeated on a new one, so it must not change anything. */
  async onOneConnection(
    use: (clients: { gateway: GatewayClient; storage: StorageClient }) => Promise<void>,
  ): Promise<void> {
    const agents = createAgents(this.run.settings, true);
    const caller = this.caller.with({ agents });
    try {
      await use({
        gateway: createGatewayClient(this.run, caller),
        storage: createStorageClient(this.run, caller),
      });
    } finally {
      agents.http.destroy();
      agents.https.destroy();
    }
  }

  /** Reports something to the operator that does not affect the result. */
  note(text: string): void {
    this.record.notes.push(text);
  }
}

/** A context for calls only: assertions and notes belong to one check. */
export type CallContext = Omit<CheckContext, Assertion | 'files'> & {
  readonly files: Omit<Files, Assertion>;
};

type Assertion = `expect${string}` | 'fail' | 'note' | 'record';

/** Runs `find` once per run, in its own context. If it throws, every check that awaits it ends the same way. */
export function oncePerRun<Result>(find: (t: CallContext) => Promise<Result>) {
  const found = new WeakMap<Run, Promise<Result>>();
  return (t: CallContext): Promise<Result> => {
    const context = new CheckContext(t.run, t.madeBy);
    const earlier = found.get(t.run);
    const started = performance.now();
    const result = earlier ?? find(context);
    found.set(t.run, result);
    return result.finally(() => {
      t.waitedMs += earlier ? performance.now() - started : context.waitedMs;
    });
  };
}

/** Runs the checks, and returns what each shows about its sentence. */
export async function runChecks(run: Run, checks: readonly Check[]): Promise<PartialResult[]> {
  const { concurrency, onCheck } = run.settings;
  return inParallel(checks, concurrency, async (check) => {
    const part = await runCheck(run, check);
    const { id, outcome } = part;
    const isViolated = (run.observer.tallyOf(id)?.violations ?? 0) > 0;
    if (outcome !== 'disabled') onCheck({ id, outcome: isViolated ? 'fail' : outcome });
    return part;
  });
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

async function runCheck(run: Run, check: Check): Promise<PartialResult> {
  const { id } = check;
  const context = new CheckContext(run, id, id);
  const started = performance.now();
  // Why it did not run, or did not finish.
  let error: unknown = whyNotRun(run, check);
  try {
    if (error === undefined) await check.perform(context);
  } catch (thrown) {
    error = thrown;
  }
  const durationMs = Math.round(performance.now() - started - context.waitedMs);
  const { findings, notes } = context.record;
  return { ...decide(run, id, [...findings], error), notes, durationMs };
}
