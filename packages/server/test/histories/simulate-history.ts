import { Random } from '../../../server-stubs/test/fuzz/random.ts';
import type { Call, CallKind } from './history.ts';

const FILES = ['a', 'b', 'c'];
const KINDS: readonly CallKind[] = [
  ...(['upload', 'read', 'find', 'copy', 'copy-new', 'move', 'move-new', 'delete'] as const),
];

/** A call in progress. */
interface Running {
  readonly call: Omit<Call, 'returned' | 'outcome'>;
  readonly steps: Generator<undefined, string>;
  outcome?: string;
}

/**
 * Makes up the history of a correct store: clients make calls at the same time, and each has its effect at some moment.
 * Written without the model of `history.ts`, which it tests.
 *
 * @param isMoveAtomic as in `CheckOptions`
 */
export function simulateHistory(
  seed: number,
  isMoveAtomic: boolean,
  clients = 4,
  calls = 3,
): Call[] {
  const random = new Random(seed);
  const files = new Map<string, string>();
  const history: Call[] = [];
  let time = 0;
  let uploads = 0;

  function* effect(kind: CallKind, file: string, to: string): Generator<undefined, string> {
    if (kind === 'upload') {
      uploads += 1;
      files.set(file, `v${uploads}`);
      return `v${uploads}`;
    }
    const content = files.get(file);
    if (content === undefined) return 'missing';
    if (kind === 'read') return content;
    if (kind === 'delete') files.delete(file);
    if (kind === 'delete' || kind === 'find') return 'ok';
    const isMove = kind.startsWith('move');
    if (!isMove || !isMoveAtomic) yield;
    if (kind.endsWith('-new') && files.has(to)) return 'exists';
    files.set(to, content);
    if (isMove && !isMoveAtomic) {
      yield;
      // Others have waited for its locks.
      if (files.get(file) !== content) return 'unknown';
    }
    if (isMove) files.delete(file);
    return 'ok';
  }

  const left = Array.from({ length: clients }, () => calls);
  const running: (Running | undefined)[] = left.map(() => undefined);
  while (left.some((count) => count > 0) || running.some(Boolean)) {
    const client = random.below(clients);
    const current = running[client];
    if (current === undefined) {
      if ((left[client] ?? 0) === 0) continue;
      left[client] = (left[client] ?? 0) - 1;
      const kind = random.pick(KINDS);
      const file = random.pick(FILES);
      const to = random.pick(FILES.filter((other) => other !== file));
      const hasTo = kind.startsWith('copy') || kind.startsWith('move');
      running[client] = {
        call: { kind, file, ...(hasTo && { to }), invoked: time++ },
        steps: effect(kind, file, to),
      };
    } else if (current.outcome === undefined) {
      const { done, value } = current.steps.next();
      if (done) current.outcome = value;
    } else {
      const { call, outcome } = current;
      const isUnknown = outcome === 'unknown' || random.chance(0.1);
      const isChange = call.kind !== 'read' && call.kind !== 'find';
      running[client] = undefined;
      if (!isUnknown) history.push({ ...call, outcome, returned: time++ });
      else if (isChange) {
        const known = call.kind === 'upload' ? outcome : 'ok';
        history.push({ ...call, outcome: known, returned: Number.POSITIVE_INFINITY });
      }
    }
  }
  return history;
}
