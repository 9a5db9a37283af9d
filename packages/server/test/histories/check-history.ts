import { type Call, type Contents, type Held, type Step, toSteps } from './history.ts';

/** A history with more states, because the outcomes of many calls are unknown, would take too long. */
const MAX_STATES = 200_000;

/**
 * Checks whether a history is linearizable: whether each call could have had its effect at one moment between its start
 * and its end, in an order that explains all outcomes. At the beginning, no file exists.
 *
 * Histories compose: files that no copy or move connects are checked separately (Herlihy and Wing, 1990).
 *
 * @param isMoveAtomic whether a move changes both files at the same moment
 * @returns calls that no order explains, or `undecided` if there are too many possible orders
 */
export function findViolation(
  calls: readonly Call[],
  isMoveAtomic: boolean,
): readonly Call[] | 'undecided' | undefined {
  const parts = splitByFiles(calls).map((part) => ({ part, verdict: judge(part, isMoveAtomic) }));
  const impossible = parts.find(({ verdict }) => verdict === 'impossible');
  if (impossible) return impossible.part;
  return parts.some(({ verdict }) => verdict === 'undecided') ? 'undecided' : undefined;
}

function splitByFiles(calls: readonly Call[]): Call[][] {
  const groups = new Map<string, Set<string>>();
  for (const { file, to = file } of calls) {
    const all = new Set([...(groups.get(file) ?? [file]), ...(groups.get(to) ?? [to])]);
    for (const each of all) groups.set(each, all);
  }
  return [...new Set(groups.values())].map((files) => calls.filter(({ file }) => files.has(file)));
}

/** A point of the search: how many steps each call has made, and what the files contain. */
interface State {
  readonly made: readonly number[];
  readonly contents: Contents;
  readonly held: readonly Held[];
}

/** Tries the steps of all calls in every order that their times allow, each state once (Wing and Gong; Lowe). */
function judge(
  history: readonly Call[],
  isMoveAtomic: boolean,
): 'possible' | 'impossible' | 'undecided' {
  const calls = toOrdered(history);
  const kinds = calls.map(toInterchangeable);
  const files = [...new Set(calls.flatMap(({ file, to = file }) => [file, to]))];
  const steps = calls.map((call) => toSteps(call, files, isMoveAtomic));
  const seen = new Set<string>();
  const start: State = {
    made: calls.map(() => 0),
    contents: files.map(() => undefined),
    held: calls.map(() => undefined),
  };
  // A stack instead of recursion, because each call is a level.
  const stack = [start];
  for (let state = stack.pop(); state !== undefined; state = stack.pop()) {
    const { made, contents, held } = state;
    const isDone = (index: number) => made[index] === steps[index]?.length;
    const first = calls.findIndex((_, index) => !isDone(index));
    const end = calls[first]?.returned ?? Number.POSITIVE_INFINITY;
    // Only calls of unknown outcome are left.
    if (end === Number.POSITIVE_INFINITY) return 'possible';
    const key = `${made.join('')} ${contents.join()} ${held.join()}`;
    if (seen.has(key)) continue;
    if (seen.size === MAX_STATES) return 'undecided';
    seen.add(key);
    const next: State[] = [];
    const tried = new Set<string>();
    for (const [index, call] of calls.entries()) {
      // It starts only after another one has returned.
      if (call.invoked > end || isDone(index)) continue;
      const same = kinds[index] && `${kinds[index]} ${made[index]} ${held[index]}`;
      if (same && tried.has(same)) continue;
      if (same) tried.add(same);
      const step = steps[index]?.[made[index] ?? 0] as Step;
      const result = step(contents, held[index]);
      if (result === undefined) continue;
      const [after, kept] = result;
      next.push({
        made: made.with(index, (made[index] ?? 0) + 1),
        contents: after,
        held: held.with(index, kept),
      });
      // What changes nothing can always come first.
      if (after === contents && kept === held[index]) next.splice(0, next.length - 1);
      if (after === contents && kept === held[index]) break;
    }
    stack.push(...next.reverse());
  }
  return 'impossible';
}

/**
 * Sorts calls so that the first to return, which must be explained first, is the first. Contents that nobody has seen,
 * of uploads of unknown outcome, become the same content.
 */
function toOrdered(history: readonly Call[]): Call[] {
  const seen = new Set(history.flatMap(({ kind, outcome }) => (kind === 'read' ? outcome : [])));
  return history
    .toSorted((one, other) => one.returned - other.returned || one.invoked - other.invoked)
    .map((call) => {
      const isUnseen = isUnknown(call) && call.kind === 'upload' && !seen.has(call.outcome);
      return isUnseen ? { ...call, outcome: 'unseen' } : call;
    });
}

const isUnknown = ({ returned }: Call) => returned === Number.POSITIVE_INFINITY;

/** Of calls of unknown outcome with the same value, only the earliest is tried next: the order makes no difference. */
function toInterchangeable(call: Call): string | undefined {
  const { kind, file, to = '', outcome } = call;
  return isUnknown(call) ? [kind, file, to, outcome].join() : undefined;
}
