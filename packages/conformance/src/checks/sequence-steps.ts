import fc from 'fast-check';
import type { CheckContext } from '../context/check-context.ts';
import type { Evidence } from '../http/exchange.ts';
import { entriesOf, hasFailed, linkOf, toCopyItems } from './stored-files.ts';

/** The files of a sequence: one name starts like another, and two have the same last segment. */
const NAMES = ['a.txt', 'a.txt.copy', 'level/a.txt', 'level/b.txt'] as const;

type Name = (typeof NAMES)[number];

/** The files that exist, each with the number of the content that was uploaded to it or copied from it. */
type Files = Map<Name, number>;

interface Copy {
  from: Name;
  to: Name;
  overwrite?: boolean;
  removeOriginal?: boolean;
}

type Step = fc.AsyncCommand<Files, Sequence>;

/** Maximum number of generated steps of a sequence; on average it is half as many. */
const MAX_STEPS = 16;

const names = fc.subarray([...NAMES], { minLength: 1 });
const options = fc.record(
  { overwrite: fc.boolean(), removeOriginal: fc.boolean() },
  { requiredKeys: [] },
);

/** One or two copies of different files to different files: their order in a call is not defined. */
const copies = fc
  .tuple(
    fc.shuffledSubarray([...NAMES], { minLength: NAMES.length }),
    fc.array(options, { minLength: 1, maxLength: 2 }),
  )
  .map(([shuffled, items]) =>
    items.map((item, index): Copy => {
      const [from, to] = shuffled.slice(2 * index) as [Name, Name];
      return { from, to, ...item };
    }),
  );

const step = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.constantFrom(...NAMES).map((name) => toStep((sequence) => sequence.upload(name))),
  },
  {
    weight: 5,
    arbitrary: copies.map((items) =>
      toStep(
        (sequence) => sequence.copy(items),
        (files) => items.some(({ from }) => files.has(from)),
      ),
    ),
  },
  { weight: 2, arbitrary: names.map((list) => toStep((sequence) => sequence.delete(list))) },
  { weight: 2, arbitrary: names.map((list) => toStep((sequence) => sequence.read(list))) },
);

function toStep(
  run: (sequence: Sequence) => Promise<void>,
  check: Step['check'] = () => true,
): Step {
  return { check, run: (_, sequence) => run(sequence) };
}

/**
 * Generates the steps of a sequence. A shorter sequence with the same fault leaves out steps, and does not change the
 * others. A bias would mostly generate short sequences, because a run has only a few.
 */
export const sequences = fc.noBias(
  fc.commands([fc.noShrink(step)], { maxCommands: MAX_STEPS, size: 'max' }),
);

/** Thrown if a step had another effect than the contract requires. */
export class Contradiction extends Error {
  readonly steps: readonly string[];
  readonly evidence: Evidence;

  constructor(message: string, steps: readonly string[], evidence: Evidence) {
    super(message);
    this.steps = steps;
    this.evidence = evidence;
  }
}

/** How long a link must work, in milliseconds: its lifetime without `maxAge` is not specified. */
const LINK_LIFETIME = 5000;

interface Link {
  url: string;
  worksUntil: number;
}

/** One sequence, in a folder that no other uses. Each step makes its calls and compares their effects with `files`. */
export class Sequence {
  /** What the contract says about the files after the steps so far. */
  readonly files: Files = new Map();
  readonly steps: string[] = [];
  readonly #t: CheckContext;
  readonly #folder: string;
  readonly #contents: Buffer[] = [];
  readonly #ids = new Map<Name, string>();
  /** The last link to each file that has not changed since. */
  readonly #links = new Map<Name, Link>();

  constructor(t: CheckContext) {
    this.#t = t;
    this.#folder = t.uniqueName();
  }

  async upload(name: Name): Promise<void> {
    const content = this.#contents.length + 1;
    this.steps.push(`upload content ${content} to ${name}`);
    // Of different lengths, so that a mix of two shows.
    const bytes = Buffer.from(`content ${content} of ${this.#folder}\n`.repeat(content));
    this.#contents.push(bytes);
    const { fileId } = await this.#t.upload.store(`${this.#folder}/${name}`, bytes);
    this.files.set(name, content);
    this.#links.delete(name);
    this.#ids.set(name, fileId);
  }

  async copy(items: readonly Copy[]): Promise<void> {
    this.steps.push(items.map(describeCopy).join(' and '));
    const { files } = this;
    const failing = items.filter(
      ({ from, to, overwrite }) => !files.has(from) || (overwrite === false && files.has(to)),
    );
    const paths = items.map(({ from, to, ...rest }) => {
      return { from: this.#path(from), to: this.#path(to), ...rest };
    });
    const { reply, entries } = await this.#t.storage.listReply(
      'batchCopyFile',
      toCopyItems(this.#t, paths),
    );
    // Entries do not say which item they are about.
    const failed = entries.filter(hasFailed).length;
    const message = `${failing.length} of ${items.length} copies must fail, but ${failed} did`;
    this.#expect(failed === failing.length, message, reply);
    for (const item of items.filter((copy) => !failing.includes(copy))) {
      const { from, to, removeOriginal } = item;
      files.set(to, files.get(from) as number);
      this.#forget(to);
      if (!removeOriginal) continue;
      files.delete(from);
      this.#forget(from);
    }
  }

  async delete(list: readonly Name[]): Promise<void> {
    this.steps.push(`delete ${list.join(', ')}`);
    const ids = await this.#findIds(list);
    const { reply, entries } = await this.#t.storage.listReply('batchDelete', [...ids.values()]);
    for (const [name, id] of ids) {
      const isSuccess = entriesOf(entries, id)[0]?.code === 'SUCCESS';
      const existed = this.files.delete(name);
      this.#links.delete(name);
      const message = existed
        ? `${name} exists, but its entry in a delete response is not SUCCESS`
        : `${name} does not exist, but its entry in a delete response is SUCCESS`;
      this.#expect(isSuccess === existed, message, reply);
    }
  }

  /** Reads files with a new link, and with the last one if the file has not changed since. */
  async read(list: readonly Name[]): Promise<void> {
    this.steps.push(`read ${list.join(', ')}`);
    const ids = await this.#findIds(list);
    const worksUntil = Date.now() + LINK_LIFETIME;
    const items = [...ids.values()].map((fileID) => ({ fileID }));
    const { reply, entries } = await this.#t.storage.listReply('batchGetTempUrls', items);
    for (const [name, id] of ids) {
      const url = linkOf(entriesOf(entries, id)[0]);
      const exists = this.files.has(name);
      const message = exists
        ? `${name} exists, but gets no link`
        : `${name} does not exist, but gets a link`;
      this.#expect((url !== undefined) === exists, message, reply);
      if (url === undefined) continue;
      const last = this.#links.get(name);
      if (last !== undefined) await this.#follow(name, last);
      const link = { url, worksUntil };
      this.#links.set(name, link);
      await this.#follow(name, link);
    }
  }

  /** Reads all files, deletes them and checks that they are gone, so that the run need not remove them. */
  async end(): Promise<void> {
    await this.read(NAMES);
    if (this.files.size > 0) {
      await this.delete([...this.files.keys()]);
      await this.read(NAMES);
    }
    for (const name of NAMES) this.#t.upload.untrack(this.#path(name));
  }

  async #follow(name: Name, { url, worksUntil }: Link): Promise<void> {
    const exchange = await this.#t.upload.download(url);
    const { status, body } = exchange.received;
    const isFound = status >= 200 && status < 300;
    if (!isFound && Date.now() > worksUntil) return;
    const content = this.#contents.findIndex((bytes) => bytes.equals(body)) + 1;
    const expected = this.files.get(name);
    const other = content === 0 ? 'bytes that were never uploaded' : `content ${content}`;
    const actual = isFound ? other : `the status ${status}`;
    const message = `${name} must have content ${expected}, but its link returned ${actual}`;
    this.#expect(isFound && content === expected, message, exchange);
  }

  #expect(holds: boolean, message: string, evidence: Evidence): void {
    if (!holds) throw new Contradiction(message, this.steps, evidence);
  }

  /** Forgets the ID of a file that was copied or moved: it may have another now. That of a deleted file must not work. */
  #forget(name: Name): void {
    this.#ids.delete(name);
    this.#links.delete(name);
  }

  async #findIds(list: readonly Name[]): Promise<Map<Name, string>> {
    const ids = new Map<Name, string>();
    for (const name of list) {
      const id = this.#ids.get(name) ?? (await this.#t.upload.fileIdOf(this.#path(name)));
      ids.set(name, id);
      this.#ids.set(name, id);
    }
    return ids;
  }

  #path(name: Name): string {
    return this.#t.storage.path(`${this.#folder}/${name}`);
  }
}

function describeCopy({ from, to, overwrite, removeOriginal }: Copy): string {
  const suffix = overwrite === undefined ? '' : ` with overwrite ${overwrite}`;
  return `${removeOriginal ? 'move' : 'copy'} ${from} to ${to}${suffix}`;
}
