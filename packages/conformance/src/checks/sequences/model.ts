import type { Evidence } from '../../http/exchange.ts';

/** The files of a sequence: one name starts like another, and two have the same last segment. */
export const NAMES = ['a.txt', 'a.txt.copy', 'level/a.txt', 'level/b.txt'] as const;

export type Name = (typeof NAMES)[number];

/** The content of a file: 1 for the first that was uploaded, and so on. */
export type Content = number;

/** No file. */
export const NOTHING = 0;
/** Bytes that this sequence did not upload. */
export const OTHER = -1;

export interface CopyItem {
  from: Name;
  to: Name;
  overwrite?: boolean;
  removeOriginal?: boolean;
}

/** A download link that a sequence keeps. */
export interface Link {
  name: Name;
  url: string;
  /** Until when it must work if the file does not change, in milliseconds since the epoch. */
  worksUntil: number;
  /** What it may return; whether it may have stopped working. */
  contents: ReadonlySet<Content>;
  mayFail: boolean;
}

/** What one item of a call reported. */
export type Fact = { evidence: Evidence } & (
  | { kind: 'stored'; name: Name; content: Content }
  | { kind: 'read'; name: Name; url: string | undefined; worksUntil: number; content: Content }
  | { kind: 'linked'; name: Name; url: string | undefined; worksUntil: number; isRequired: boolean }
  | { kind: 'followed'; link: Link; content: Content; ended: number }
  | { kind: 'deleted'; name: Name; isSuccess: boolean }
  | { kind: 'copied'; items: readonly CopyItem[]; failures: number }
);

/** Thrown if a call reported something else than the contract requires. */
export class Contradiction extends Error {
  readonly evidence: Evidence;

  constructor(message: string, evidence: Evidence) {
    super(message);
    this.evidence = evidence;
  }
}

type Contents = ReadonlySet<Content>;

/**
 * What the contract says about a few files after a sequence of calls. If it leaves open what happens, as for a
 * link to a file that was overwritten, every possibility is accepted, and a later read decides between them.
 */
export class Model {
  readonly links: Link[] = [];
  /** The names of the grants that a sequence keeps. */
  readonly grants: Name[] = [];
  /** How many contents were uploaded. */
  uploads = 0;
  #files = new Map<Name, Contents>(NAMES.map((name) => [name, new Set([NOTHING])]));

  /** Returns the names that may have a file. */
  get existing(): Name[] {
    return NAMES.filter((name) => some(this.#at(name)));
  }

  /**
   * Compares what a call reported, with one fact for each item, and learns from it.
   *
   * @throws Contradiction if the contract requires something else
   */
  learn(facts: readonly Fact[]): void {
    const seen = (name: Name) => this.#at(name);
    for (const fact of facts) {
      const message = contradict(fact, seen);
      if (message !== undefined) throw new Contradiction(message, fact.evidence);
    }
    const written = facts.flatMap((fact) => toWritten(fact, seen));
    for (const name of NAMES) {
      const writes = written.filter((one) => one.name === name);
      if (writes.length > 0) this.#write(name, writes);
    }
    for (const fact of facts) this.#keep(fact);
  }

  #write(name: Name, writes: readonly Written[]): void {
    const before = writes.some(({ isCertain }) => isCertain) ? [] : this.#at(name);
    const after = new Set([...before, ...writes.flatMap(({ contents }) => [...contents])]);
    this.#files.set(name, after);
    for (const link of this.links.filter((one) => one.name === name)) {
      // A cache may hold what the file had before, even if it was deleted.
      link.contents = new Set([...link.contents, ...withoutNothing(after)]);
      link.mayFail = true;
    }
  }

  #at(name: Name): Contents {
    return this.#files.get(name) ?? new Set([NOTHING]);
  }

  /** Remembers a link, and what a read found. */
  #keep(fact: Fact): void {
    if (fact.kind === 'read') this.#files.set(fact.name, new Set([fact.content]));
    if ((fact.kind !== 'linked' && fact.kind !== 'read') || fact.url === undefined) return;
    const { name, url, worksUntil } = fact;
    const contents = withoutNothing(this.#at(name));
    const mayFail = contents.size > 1 || this.#at(name).has(NOTHING);
    this.links.push({ name, url, worksUntil, contents, mayFail });
  }
}

const withoutNothing = (contents: Contents): Contents =>
  new Set([...contents].filter((content) => content !== NOTHING));

const some = (contents: Contents): boolean => withoutNothing(contents).size > 0;

/** Whether each path of a copy must fail or may fail. */
function judgeItem({ from, to, overwrite }: CopyItem, seen: (name: Name) => Contents) {
  const isKept = overwrite === false;
  return {
    // Whether a file can be copied onto itself is not specified, nor what happens if it does not exist.
    must: from !== to && (!some(seen(from)) || (isKept && !seen(to).has(NOTHING))),
    may: seen(from).has(NOTHING) || from === to || (isKept && some(seen(to))),
  };
}

interface Written {
  name: Name;
  contents: Contents;
  /** If false, it may also not have been written. */
  isCertain: boolean;
}

/** Returns what a call wrote, by what it reported. */
function toWritten(fact: Fact, seen: (name: Name) => Contents): Written[] {
  const gone: Contents = new Set([NOTHING]);
  if (fact.kind === 'stored') {
    return [{ name: fact.name, contents: new Set([fact.content]), isCertain: true }];
  }
  if (fact.kind === 'deleted') {
    return fact.isSuccess ? [{ name: fact.name, contents: gone, isCertain: true }] : [];
  }
  if (fact.kind !== 'copied') return [];
  const judged = fact.items.map((item) => ({ item, ...judgeItem(item, seen) }));
  // Entries do not say which item they are about, but often their number does.
  const least = judged.filter(({ must }) => must).length;
  const most = judged.filter(({ may }) => may).length;
  return judged.flatMap(({ item: { from, to, removeOriginal }, must, may }) => {
    const hasFailed = must ? fact.failures >= least : may && fact.failures === most;
    if (hasFailed || fact.failures === fact.items.length) return [];
    const contents = withoutNothing(seen(from));
    const isCertain = !may || fact.failures === least;
    return [
      { name: to, contents, isCertain: isCertain && from !== to },
      ...(removeOriginal ? [{ name: from, contents: gone, isCertain }] : []),
    ];
  });
}

export function changedBy(fact: Fact): Name[] {
  if (fact.kind === 'copied') {
    if (fact.failures === fact.items.length) return [];
    return fact.items.flatMap(({ from, to, removeOriginal }) =>
      removeOriginal ? [from, to] : [to],
    );
  }
  const isChange = fact.kind === 'stored' || (fact.kind === 'deleted' && fact.isSuccess);
  return isChange ? [fact.name] : [];
}

/** Returns what the contract requires instead of what a call reported. */
function contradict(fact: Fact, seen: (name: Name) => Contents): string | undefined {
  switch (fact.kind) {
    case 'stored':
      return undefined;
    case 'read': {
      const wanted = seen(fact.name);
      if (wanted.has(fact.content)) return undefined;
      return `${fact.name} must have ${describe(wanted)}, but a read returned ${describe([fact.content])}`;
    }
    case 'linked': {
      const wanted = seen(fact.name);
      if (fact.url !== undefined && !some(wanted)) {
        return `${fact.name} does not exist, but its entry in a links response is a success`;
      }
      if (fact.url !== undefined || wanted.has(NOTHING) || !fact.isRequired) return undefined;
      return `${fact.name} exists, but its entry in a links response is a failure`;
    }
    case 'followed': {
      const { link, content, ended } = fact;
      const isOver = link.mayFail || ended > link.worksUntil;
      const allowed = isOver ? new Set([...link.contents, NOTHING]) : link.contents;
      if (allowed.has(content)) return undefined;
      return `a link to ${link.name} must return ${describe(allowed)}, but returned ${describe([content])}`;
    }
    case 'deleted': {
      const wanted = seen(fact.name);
      if (fact.isSuccess ? some(wanted) : wanted.has(NOTHING)) return undefined;
      return fact.isSuccess
        ? `${fact.name} does not exist, but its entry in a delete response is SUCCESS`
        : `${fact.name} exists, but its entry in a delete response is not SUCCESS`;
    }
    case 'copied': {
      const judged = fact.items.map((item) => judgeItem(item, seen));
      const least = judged.filter(({ must }) => must).length;
      const most = judged.filter(({ may, must }) => may || must).length;
      if (fact.failures >= least && fact.failures <= most) return undefined;
      const wanted = least === most ? `${least}` : `${least} to ${most}`;
      return `${wanted} of ${fact.items.length} items of a copy must fail, but ${fact.failures} did`;
    }
  }
}

/** Describes contents: `content 2`, `content 1 or nothing`. */
function describe(contents: Iterable<Content>): string {
  const names = [...new Set(contents)].map((content) => {
    if (content === NOTHING) return 'nothing';
    return content === OTHER ? 'bytes that were never uploaded here' : `content ${content}`;
  });
  return names.join(' or ') || 'nothing';
}
