import fc from 'fast-check';
import type { Action, Folder } from './folder.ts';
import { Contradiction, type CopyItem, type Model, NAMES, type Name } from './model.ts';

/** A sequence that contradicts the contract with its last step. */
export class Breach extends Error {
  readonly steps: readonly Action[];
  readonly commands: readonly Command[];
  override readonly cause: Contradiction;

  constructor({ steps, commands }: Sequence, cause: Contradiction) {
    super(cause.message);
    this.steps = [...steps];
    this.commands = [...commands];
    this.cause = cause;
  }
}

/** One sequence: the files in the storage, and the steps that were made. */
export interface Sequence {
  folder: Folder;
  steps: Action[];
  /** The commands that made them. */
  commands: Command[];
  /** Whether another sequence has failed, so that this one need not go on. */
  isEnded: () => boolean;
}

/** An action whose content, grant or link is only known when the step before is done. */
type Draft =
  | { kind: 'upload' | 'form'; name: Name; lines: number; which: number }
  | { kind: 'grant'; name: Name }
  | { kind: 'read'; names: readonly Name[] }
  | { kind: 'delete'; names: readonly Name[]; isUsual: boolean }
  | { kind: 'link'; names: readonly Name[]; maxAge: number | undefined }
  | { kind: 'follow'; which: number }
  | { kind: 'copy'; items: readonly CopyItem[]; isUsual: boolean };

const name = fc.constantFrom(...NAMES);
const names = fc.subarray([...NAMES], { minLength: 1 });
const which = fc.nat(7);
/** Most calls are about files that exist. */
const isUsual = fc.constantFrom(true, true, true, false);
/** Contents of different lengths, so that a mix of two shows. */
const lines = fc.constantFrom(1, 3, 60);
const item = fc.record(
  { from: name, to: name, overwrite: fc.boolean(), removeOriginal: fc.boolean() },
  { requiredKeys: ['from', 'to'] },
);

/**
 * Items whose order does not matter, because the contract does not define it: none reads or writes what another
 * writes. What a move of a file onto itself does is not defined either.
 */
const isClear = (items: readonly CopyItem[]): boolean =>
  items.every(({ from, to, removeOriginal }, index) => {
    const others = items.filter((_, other) => other !== index);
    const writes = removeOriginal ? [from, to] : [to];
    const isAlone = others.every((one) => !writes.includes(one.from) && !writes.includes(one.to));
    return isAlone && !(removeOriginal && from === to);
  });

const copies = (maxLength: number) =>
  fc.record({
    kind: fc.constant('copy' as const),
    items: fc.array(item, { minLength: 1, maxLength }).filter(isClear),
    isUsual,
  });

const drafts = {
  upload: fc.record({ kind: fc.constant('upload' as const), name, lines, which }),
  grant: fc.record({ kind: fc.constant('grant' as const), name }),
  form: fc.record({ kind: fc.constant('form' as const), name, lines, which }),
  read: fc.record({ kind: fc.constant('read' as const), names }),
  link: fc.record({
    kind: fc.constant('link' as const),
    names,
    maxAge: fc.constantFrom(undefined, 60),
  }),
  follow: fc.record({ kind: fc.constant('follow' as const), which }),
  delete: fc.record({ kind: fc.constant('delete' as const), names, isUsual }),
  copy: copies(1),
  batch: copies(2),
} satisfies Record<string, fc.Arbitrary<Draft>>;

/** The kinds of actions in a sequence, as often as they are worth it. */
const single = fc.oneof(
  ...(
    [
      [4, drafts.upload],
      [2, drafts.grant],
      [2, drafts.form],
      [2, drafts.read],
      [2, drafts.link],
      [3, drafts.follow],
      [2, drafts.delete],
      [4, drafts.copy],
      [2, drafts.batch],
    ] as const
  ).map(([weight, arbitrary]) => ({ weight, arbitrary: arbitrary as fc.Arbitrary<Draft> })),
);

/** Maximum number of steps; on average it is half as many. */
const MOST_STEPS = 20;

/** Generates sequences of calls. A bias would mostly generate short ones, because a run has only a few. */
export const sequences = fc.noBias(
  fc.commands([single.map((draft) => new Command(draft))], {
    maxCommands: MOST_STEPS,
    size: 'max',
  }),
);

/** A step before it is made. */
export class Command implements fc.AsyncCommand<Model, Sequence> {
  readonly #draft: Draft;

  constructor(draft: Draft) {
    this.#draft = draft;
  }

  check(): boolean {
    return true;
  }

  async run(model: Model, sequence: Sequence): Promise<void> {
    if (sequence.isEnded()) return;
    sequence.commands.push(this);
    await makeStep(model, sequence, toAction(this.#draft, model));
  }
}

/** Makes the calls of a step and compares what they report with the model. */
export async function makeStep(model: Model, sequence: Sequence, step: Action): Promise<void> {
  const { folder, steps } = sequence;
  steps.push(step);
  try {
    const facts = await folder.perform(step);
    folder.forget(facts);
    model.learn(facts);
  } catch (error) {
    throw error instanceof Contradiction ? new Breach(sequence, error) : error;
  }
}

/** Decides what a draft does, by which files exist. */
function toAction(draft: Draft, model: Model): Action {
  const { existing, links, grants } = model;
  const first = model.uploads === 0 ? toNames(draft)[0] : undefined;
  if (first !== undefined) return toUpload(model, first, 3);
  switch (draft.kind) {
    case 'upload':
      return toUpload(model, draft.name, draft.lines);
    case 'form': {
      const { name, lines } = draft;
      const grant = draft.which % grants.length;
      if (grants.length === 0) return toUpload(model, name, lines);
      return { ...toUpload(model, grants[grant] ?? name, lines), kind: 'form', grant };
    }
    case 'grant':
      grants.push(draft.name);
      return draft;
    case 'follow': {
      const index = draft.which % links.length;
      const link = links[index];
      return link ? { kind: 'follow', index, link } : { kind: 'read', names: NAMES };
    }
    case 'delete': {
      const name = existing.find((one) => draft.names.includes(one)) ?? existing[0];
      return draft.isUsual && name ? { kind: 'delete', names: [name] } : draft;
    }
    case 'copy':
      return draft.isUsual ? { kind: 'copy', items: toUsual(draft.items, existing) } : draft;
    default:
      return draft;
  }
}

/** Lets a copy start from files that exist; two copies in one call have other destinations. */
function toUsual(items: readonly CopyItem[], existing: readonly Name[]): readonly CopyItem[] {
  const [from, second] = existing;
  const [item] = items;
  if (from === undefined || item === undefined) return items;
  if (items.length > 1) {
    if (second === undefined) return items;
    const free = NAMES.filter((one) => one !== from && one !== second);
    return items.map((one, index) => {
      return { ...one, from: index === 0 ? from : second, to: free[index] ?? one.to };
    });
  }
  if (existing.includes(item.from)) return items;
  return [{ ...item, from, to: item.to === from ? item.from : item.to }];
}

/** The files of calls that find nothing before the first upload. */
function toNames(draft: Draft): readonly Name[] {
  if ('names' in draft) return draft.names;
  return draft.kind === 'copy' ? draft.items.map(({ from }) => from) : [];
}

function toUpload(model: Model, name: Name, lines: number): Action & { kind: 'upload' } {
  model.uploads += 1;
  return { kind: 'upload', name, content: model.uploads, lines };
}
