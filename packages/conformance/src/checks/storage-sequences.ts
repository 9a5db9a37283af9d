import { type AsyncCommand, asyncModelRun, asyncProperty, check } from 'fast-check';
import { type Check, type CheckContext, defineCheck } from '../context/check-context.ts';
import { Unreached } from '../result.ts';
import { type Action, Folder } from './sequences/folder.ts';
import { type CopyItem, Model, NAMES } from './sequences/model.ts';
import { Breach, type Command, makeStep, type Sequence, sequences } from './sequences/steps.ts';
import { needsFiles } from './stored-files.ts';

/** Sequences of a run if `--sequences` is not set, and when the last of them starts, in milliseconds. */
const USUAL = 25;
const LATEST_START = 30_000;
const WORKERS = 8;
/** Limits on the search for a shorter sequence: sequences, and milliseconds. */
const MOST_SHRINKS = 150;
const LONGEST_SHRINK = 30_000;

export const storageSequences: readonly Check[] = [
  defineCheck('ST-SEQUENCE', needsFiles, runSequences),
];

/**
 * Makes generated sequences of storage calls, each in a folder of its own, and compares what they report with a
 * model of the contract. The first sequence that contradicts it is shortened, within 150 sequences and 30 s, and
 * reported.
 */
async function runSequences(t: CheckContext): Promise<void> {
  const { seed } = t.settings;
  const wanted = t.settings.sequences ?? USUAL;
  const workers = Math.min(WORKERS, wanted);
  const isLate = t.settings.sequences === undefined ? after(LATEST_START) : () => false;
  const state = createState();
  const isEnded = () => state.fault !== undefined || state.breach !== undefined;
  await Promise.all(
    Array.from({ length: workers }, async (_, worker) => {
      const property = asyncProperty(sequences, async (commands) => {
        if (isLate() || isEnded()) return;
        const breach = await makeSequence(t, state, commands, isEnded);
        state.breach ??= breach;
      });
      const numRuns = Math.ceil((wanted - worker) / workers);
      await check(property, { seed: (seed + worker) | 0, numRuns });
    }),
  );
  if (state.breach !== undefined) state.breach = await shorten(t, state.breach);
  await report(t, state);
}

/**
 * Leaves out steps, first several together, as long as the rest still contradicts the contract. fast-check would
 * first try other names and smaller files, from which nothing is gained.
 */
async function shorten(t: CheckContext, found: Breach): Promise<Breach> {
  const isLate = after(LONGEST_SHRINK);
  let shortest = found;
  let tries = 0;
  const contradicts = async (commands: readonly Command[]): Promise<boolean> => {
    if (tries >= MOST_SHRINKS || isLate() || commands.length === 0) return false;
    tries += 1;
    const breach = await makeSequence(t, createState(), commands, () => false);
    if (breach !== undefined) shortest = breach;
    return breach !== undefined;
  };
  const leaveOut = async (count: number) => {
    for (let index = shortest.commands.length - count; index > -count; index -= count) {
      await contradicts(shortest.commands.toSpliced(Math.max(index, 0), count));
    }
  };
  for (const share of [2, 4, 8]) {
    const count = Math.floor(shortest.commands.length / share);
    if (count > 1) await leaveOut(count);
  }
  await leaveOut(1);
  return shortest;
}

interface State {
  /** Sequences that were made to their end. */
  made: number;
  /** Why others ended early. */
  ended: string[];
  /** What was thrown if it is not a result. */
  fault: unknown;
  breach: Breach | undefined;
}

const createState = (): State => ({ made: 0, ended: [], fault: undefined, breach: undefined });

/**
 * Makes a sequence. At its end, it reads all files, follows their first links, deletes them and looks whether
 * they are gone. Returns what contradicts the contract.
 */
async function makeSequence(
  t: CheckContext,
  state: State,
  commands: Iterable<AsyncCommand<Model, Sequence>>,
  isEnded: () => boolean,
): Promise<Breach | undefined> {
  const model = new Model();
  const folder = new Folder(t);
  const sequence: Sequence = { folder, steps: [], commands: [], isEnded };
  try {
    await asyncModelRun(() => ({ model, real: sequence }), commands);
    if (sequence.steps.length === 0 || isEnded()) return undefined;
    await makeStep(model, sequence, { kind: 'read', names: NAMES });
    const follow = async (index: number) => {
      const link = model.links[index];
      if (link === undefined) return;
      await makeStep(model, sequence, { kind: 'follow', index, link });
      // It changes nothing, so a later finding need not repeat it.
      sequence.steps.pop();
    };
    for (const name of NAMES) {
      await follow(model.links.findIndex((link) => link.name === name && !link.mayFail));
    }
    const names = model.existing;
    if (names.length > 0) {
      await makeStep(model, sequence, { kind: 'delete', names });
      await makeStep(model, sequence, { kind: 'read', names: NAMES });
    }
    folder.untrack();
    state.made += 1;
  } catch (error) {
    if (error instanceof Breach) return error;
    if (error instanceof Unreached) state.ended.push(error.message);
    else state.fault = error ?? new Error('nothing was thrown');
  }
  return undefined;
}

async function report(t: CheckContext, { breach, made, ended, fault }: State): Promise<void> {
  if (breach !== undefined) {
    const { steps, cause } = breach;
    const all = steps.map((step, index) => `${index + 1}. ${describeStep(step)}`).join('; ');
    const message = `${cause.message} after ${steps.length} steps (--seed ${t.settings.seed}): ${all}`;
    t.expect(false, message, cause.evidence);
    return;
  }
  if (fault !== undefined) throw fault;
  if (ended.length > 0) {
    t.note(`${ended.length} of ${made + ended.length} sequences ended early: ${ended[0]}.`);
  }
  t.reach(made > 0, ended[0] ?? 'no sequence was made');
  t.expect(true, 'every sequence follows the contract');
}

function after(milliseconds: number): () => boolean {
  const end = Date.now() + milliseconds;
  return () => Date.now() > end;
}

/** Describes a step: `upload content 1 to a.txt`. */
function describeStep(action: Action): string {
  switch (action.kind) {
    case 'upload':
      return `upload content ${action.content} to ${action.name}`;
    case 'grant':
      return `request a grant for ${action.name}`;
    case 'form':
      return `send content ${action.content} with grant ${action.grant + 1}, which is for ${action.name}`;
    case 'read':
      return `read ${action.names.join(', ')}`;
    case 'link':
      return `get a link to ${action.names.join(', ')}`;
    case 'follow':
      return `follow link ${action.index + 1}, which is to ${action.link.name}`;
    case 'delete':
      return `delete ${action.names.join(', ')}`;
    case 'copy':
      return action.items.map(describeItem).join(', ');
  }
}

function describeItem({ from, to, overwrite, removeOriginal }: CopyItem): string {
  const options = overwrite === undefined ? '' : ` with overwrite ${overwrite}`;
  return `${removeOriginal ? 'move' : 'copy'} ${from} to ${to}${options}`;
}
