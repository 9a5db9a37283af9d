import { findRule, type Need, placeOf, type Runnable } from '../contract/catalog.ts';
import type { SentenceId } from '../generated/rule-ids.gen.ts';
import type { Exchange } from '../http/exchange.ts';
import type { Claim } from '../invariants/invariant.ts';
import type { InvariantId } from '../invariants/observer.ts';
import { quoteJson, quoteText } from '../results/redact.ts';
import { type CheckResult, type Finding, MAX_FINDINGS, withEvidence } from '../results/result.ts';
import { findBlocker } from './blocker.ts';
import { CallContext, oncePerRun } from './call-context.ts';
import { describeReading, hasBytes, type Reading } from './files.ts';
import { decide } from './outcome.ts';
import type { Run } from './run.ts';

/** Makes calls for a sentence of a rule, and may assert something about their responses. A sentence may have several. */
export interface Check extends Runnable {
  sentence: SentenceId;
  perform: (context: CheckContext) => Promise<unknown>;
}

/** Defines a check that must make assertions to pass. */
export function defineCheck(
  sentence: SentenceId,
  needs: readonly Need[],
  perform: Check['perform'],
): Check {
  const performAndCount = async (t: CheckContext) => {
    await perform(t);
    if (t.record.assertions === 0) throw new Error('the check made no assertions');
  };
  return { case: findRule(sentence), sentence, needs, perform: performAndCount };
}

/** Defines checks that only make calls, once a run for all sentences: their invariants check the responses. */
export function defineCalls(
  sentences: readonly InvariantId[],
  needs: readonly Need[],
  makeCalls: (t: CallContext) => Promise<unknown>,
): Check[] {
  const perform = oncePerRun(makeCalls);
  return sentences.map((sentence) => ({ case: findRule(sentence), sentence, needs, perform }));
}

/** The clients of a check, and its assertions about responses. */
export class CheckContext extends CallContext {
  readonly record = { findings: [] as Finding[], notes: [] as string[], assertions: 0 };
  readonly #sentence: SentenceId;

  constructor(run: Run, check: Check) {
    super(run, check);
    this.#sentence = check.sentence;
  }

  /**
   * Asserts something about a response. The check continues even if that fails.
   *
   * @param exchange the evidence; `undefined` if there was no response
   */
  expect(holds: boolean, message: string, exchange: Exchange | undefined, isRejection = false) {
    // Requests that the end of the run aborted are not the target's fault.
    if (this.run.signal.aborted) return;
    this.record.assertions += 1;
    if (!holds) this.fail(message, exchange, isRejection);
  }

  /** Expects a call to be accepted. Whatever rejects it may fail other checks, too. */
  expectAccepted(isAccepted: boolean, message: string, exchange: Exchange): void {
    this.expect(isAccepted, message, exchange, true);
  }

  expectAll(claims: readonly Claim[], exchange: Exchange): void {
    for (const [holds, message] of claims) this.expect(holds, message, exchange);
  }

  expectEqual(what: string, actual: unknown, expected: unknown, exchange: Exchange): void {
    const shown = typeof actual === 'string' ? quoteText(actual) : quoteJson(actual);
    this.expect(actual === expected, `${what} must be ${expected}, not ${shown}`, exchange);
  }

  /** Expects each file to have this content, or, for `undefined`, not to be found. */
  async expectContents(when: string, files: Record<string, Buffer | undefined>): Promise<void> {
    const names = Object.keys(files);
    const readings = await this.files.readEach(await this.files.ids(...names));
    for (const [index, name] of names.entries()) {
      const what = `${this.files.path(name)} (${when})`;
      this.expectReading(readings[index] as Reading, files[name], what);
    }
  }

  expectReading(reading: Reading, bytes: Buffer | undefined, what: string): void {
    const holds = bytes ? hasBytes(reading, bytes) : !reading.found;
    const expected = bytes ? `have the expected ${bytes.length} bytes` : 'not be found';
    const actual = `but a read returned ${describeReading(reading, bytes)}`;
    this.expect(holds, `${what} must ${expected}, ${actual}`, reading.exchange);
  }

  /** Expects files to have what was last uploaded to other names: `{ copy: 'source' }`. */
  expectCopies(when: string, sources: Record<string, string>): Promise<void> {
    const files = Object.entries(sources).map(([name, from]) => [name, this.files.contentOf(from)]);
    return this.expectContents(when, Object.fromEntries(files));
  }

  expectKept(when: string, ...names: string[]): Promise<void> {
    return this.expectCopies(when, Object.fromEntries(names.map((name) => [name, name])));
  }

  expectGone(when: string, ...names: string[]): Promise<void> {
    return this.expectContents(when, Object.fromEntries(names.map((name) => [name, undefined])));
  }

  /** Reports a violation, even if the run has ended since it was found. */
  fail(message: string, exchange: Exchange | undefined, isRejection = false): void {
    const { findings } = this.record;
    if (findings.length >= MAX_FINDINGS) return;
    const sentence = this.#sentence;
    const where = placeOf(findRule(sentence));
    const finding = { message, sentence, where, ...(isRejection && { isRejection }) };
    findings.push(withEvidence(finding, exchange));
  }

  note(text: string): void {
    this.record.notes.push(text);
  }
}

export async function runChecks(run: Run, checks: readonly Check[]): Promise<CheckResult[]> {
  const { concurrency, onCheck } = run.settings;
  return inParallel(checks, concurrency, async (check) => {
    const result = await runCheck(run, check);
    const isViolated = (run.observer.tallyOf(check.sentence)?.violations ?? 0) > 0;
    const isFailed = isViolated && result.outcome !== 'disabled';
    onCheck(isFailed ? { ...result, outcome: 'fail' } : result);
    return result;
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

async function runCheck(run: Run, check: Check): Promise<CheckResult> {
  const context = new CheckContext(run, check);
  const started = performance.now();
  // Why it did not run, or did not finish.
  let error: unknown = findBlocker(run, check);
  try {
    if (error === undefined) await check.perform(context);
  } catch (thrown) {
    error = thrown;
  }
  const durationMs = Math.round(performance.now() - started);
  const { findings, notes } = context.record;
  return { ...decide(run, check, [...findings], error), notes, durationMs };
}
