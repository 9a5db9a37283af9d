import fc from 'fast-check';
import type { Exchange } from '../http/exchange.ts';
import { entryOf, hasFailed, linkOf } from '../http/read-response.ts';
import { quoteJson } from '../results/redact.ts';
import { type CheckContext, defineCheck } from '../run/check.ts';
import { type CopyItem, type Files, toItems } from '../run/files.ts';
import { needsFiles } from './storage-calls.ts';

/** The files of a sequence: one name starts like another, and two have the same last segment. */
const NAMES = ['a.txt', 'a.txt.copy', 'level/a.txt', 'level/b.txt'];

/** The files that exist, each with the number of the content that was uploaded to it or copied from it. */
type Model = Map<string, number>;

/** Maximum number of generated steps of a sequence; on average it is half as many. */
const MAX_STEPS = 13;

/** Maximum number of sequences that are made to find a shorter one with the same fault. */
const MAX_SHRINKS = 100;

/** No step runs after a mismatch. */
const toStep = (
  run: (sequence: Sequence) => Promise<void>,
  isUseful = (_: Model) => true,
): fc.AsyncCommand<Sequence, Sequence> => ({
  check: ({ files, mismatch }) => mismatch === undefined && isUseful(files),
  run: (_, sequence) => run(sequence),
});

const names = fc.subarray(NAMES, { minLength: 1 });
const flag = fc.boolean();
const options = fc.record({ overwrite: flag, removeOriginal: flag }, { requiredKeys: [] });

/** One or two copies of different files to different files: their order in a call is not defined. */
const items = fc
  .tuple(
    fc.shuffledSubarray(NAMES, { minLength: NAMES.length }),
    fc.array(options, { minLength: 1, maxLength: 2 }),
  )
  .map(([shuffled, list]) =>
    list.map((item, index): CopyItem => {
      const [from = '', to = ''] = shuffled.slice(2 * index);
      return { from, to, ...item };
    }),
  );

const uploads = fc.constantFrom(...NAMES).map((name) => toStep((all) => all.upload(name)));
const copies = items.map((list) =>
  toStep(
    (all) => all.copy(list),
    (files) => list.some(({ from }) => files.has(from)),
  ),
);
const deletions = names.map((list) => toStep((all) => all.delete(list)));
const readings = names.map((list) => toStep((all) => all.read(list)));

/** Uploads and copies are twice as likely. */
const step = fc.oneof(uploads, uploads, copies, copies, deletions, readings);

/**
 * A shorter sequence with the same fault leaves out steps, and does not change the others. A bias would mostly
 * generate short sequences, because a run has only a few.
 */
const sequences = fc.noBias(
  fc.commands([fc.noShrink(step)], { maxCommands: MAX_STEPS, size: 'max' }),
);

interface Mismatch {
  message: string;
  exchange: Exchange;
  steps: readonly string[];
}

/** One sequence, in a folder of its own. Each step makes its calls and compares their effects with `files`. */
class Sequence {
  /** What the contract says about the files after the steps so far. */
  readonly files: Model = new Map();
  readonly steps: string[] = [];
  /** The first effect of a step that contradicts the contract. */
  mismatch?: Mismatch;
  readonly #t: CheckContext;
  readonly #name: string;
  readonly #folder: Files;
  readonly #contents: Buffer[] = [];

  constructor(t: CheckContext) {
    this.#t = t;
    this.#name = t.run.uniqueName();
    this.#folder = t.files.folder(`${this.#name}/`);
  }

  async upload(name: string): Promise<void> {
    const content = this.#contents.length + 1;
    this.steps.push(`upload content ${content} to ${name}`);
    // Of different lengths, so that a mix of two shows.
    const text = `content ${content} of ${this.#name}\n`.repeat(content);
    const { bytes } = await this.#folder.store(name, text);
    this.#contents.push(bytes);
    this.files.set(name, content);
  }

  async copy(items: readonly CopyItem[]): Promise<void> {
    this.steps.push(items.map(describeCopy).join(' and '));
    const { files } = this;
    const mustFail = ({ from, to, overwrite }: CopyItem) =>
      !files.has(from) || (overwrite === false && files.has(to));
    const done = items.filter((item) => !mustFail(item));
    const fileList = this.#folder.toCopyItems(items);
    const reply = await this.#t.storage.list('batchCopyFile', fileList);
    // Entries do not say which item they are about.
    const failed = reply.entries.filter(hasFailed).length;
    const message = `${items.length - done.length} of ${items.length} copies must fail, but ${failed} did`;
    this.#compare(failed === items.length - done.length, message, reply);
    for (const { from, to, removeOriginal } of done) {
      files.set(to, files.get(from) as number);
      if (removeOriginal) files.delete(from);
    }
  }

  async delete(list: readonly string[]): Promise<void> {
    this.steps.push(`delete ${list.join(', ')}`);
    const ids = await this.#folder.ids(...list);
    const reply = await this.#t.storage.list('batchDelete', ids);
    for (const [index, name] of list.entries()) {
      const { code } = entryOf(reply.entries, ids[index]) ?? {};
      const existed = this.files.delete(name);
      const message = `the code for ${name} must ${existed ? '' : 'not '}be SUCCESS, but was ${quoteJson(code)}`;
      this.#compare((code === 'SUCCESS') === existed, message, reply);
    }
  }

  async read(list: readonly string[]): Promise<void> {
    this.steps.push(`read ${list.join(', ')}`);
    const ids = await this.#folder.ids(...list);
    const reply = await this.#t.storage.list('batchGetTempUrls', toItems(ids));
    for (const [index, name] of list.entries()) {
      const url = linkOf(entryOf(reply.entries, ids[index]));
      const expected = this.files.get(name);
      const what = expected === undefined ? 'does not exist' : `has content ${expected}`;
      const hasLinkIfStored = (url !== undefined) === (expected !== undefined);
      const linkMessage = `${name}, which ${what}, must ${url ? 'not ' : ''}get a link`;
      this.#compare(hasLinkIfStored, linkMessage, reply);
      if (url === undefined) continue;
      const exchange = await this.#folder.download(url);
      const { status, body } = exchange.received;
      const content = this.#contents.findIndex((bytes) => bytes.equals(body)) + 1;
      const actual = content === 0 ? 'other bytes' : `content ${content}`;
      const message = `the link of ${name} must return content ${expected}, but returned ${status} with ${actual}`;
      this.#compare(status >= 200 && status < 300 && content === expected, message, exchange);
    }
  }

  /** Reads all files, deletes them and checks that they are gone, so that the run need not remove them. */
  async end(): Promise<void> {
    await this.read(NAMES);
    if (this.files.size > 0 && !this.mismatch) {
      await this.delete([...this.files.keys()]);
      await this.read(NAMES);
    }
    if (this.mismatch) return;
    this.#folder.untrack(NAMES.map((name) => this.#folder.path(name)));
  }

  #compare(holds: boolean, message: string, exchange: Exchange): void {
    if (holds) this.#t.expect(holds, message, exchange);
    // It is reported when it has been shortened.
    else this.mismatch ??= { message, exchange, steps: [...this.steps] };
  }
}

function describeCopy({ from, to, overwrite, removeOriginal }: CopyItem): string {
  const suffix = overwrite === undefined ? '' : ` with overwrite ${overwrite}`;
  return `${removeOriginal ? 'move' : 'copy'} ${from} to ${to}${suffix}`;
}

/** Makes generated sequences of storage calls. The first that contradicts the contract is shortened and reported. */
async function runSequences(t: CheckContext): Promise<void> {
  const { seed, sequences: numRuns, nameOf } = t.run.settings;
  let state: 'searching' | 'shrinking' | 'broken' = 'searching';
  let shrinks = 0;
  let shortest: Mismatch | undefined;
  let fault: unknown;
  const property = fc.asyncProperty(sequences, async (steps) => {
    if (state === 'broken' || shrinks === MAX_SHRINKS) return true;
    if (state === 'shrinking') shrinks += 1;
    const sequence = new Sequence(t);
    try {
      await fc.asyncModelRun(() => ({ model: sequence, real: sequence }), steps);
      if (sequence.steps.length > 0 && !sequence.mismatch) await sequence.end();
    } catch (error) {
      // It says nothing about the contract, so a shorter sequence is of no use.
      if (!sequence.mismatch) [state, fault] = ['broken', error];
    }
    if (!sequence.mismatch) {
      // Another sequence replaces one without steps.
      if (state !== 'broken') fc.pre(sequence.steps.length > 0);
      return true;
    }
    state = 'shrinking';
    shortest = sequence.mismatch;
    return false;
  });
  await fc.check(property, { seed, numRuns });
  if (shortest) return t.fail(describe(shortest, `${nameOf('seed')} ${seed}`), shortest.exchange);
  if (fault !== undefined) throw fault;
}

function describe({ message, steps }: Mismatch, seed: string): string {
  const list = steps.map((step, index) => `${index + 1}. ${step}`).join('; ');
  return `${message} after ${steps.length} steps (${seed}): ${list}`;
}

export const storageSequences = [defineCheck('ST-SEQUENCE', needsFiles, runSequences)];
