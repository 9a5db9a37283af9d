import { setTimeout as wait } from 'node:timers/promises';
import { createRandom } from '../../../server-stubs/test/corpus/random.ts';
import { type CheckOptions, findViolation, type Violation } from './check-history.ts';
import { type Call, type CallKind, toText } from './history.ts';
import type { Replica } from './replicas.ts';
import { StorageCalls, toFileID } from './storage-calls.ts';

const CLIENTS = 8;
const CALLS = 4;
/** The last one has a folder of its own, which disappears with it. */
const FILES = ['a', 'b', 'folder/c'];

/** Histories that run at the same time, because one is often waiting for a frozen replica. */
const PARALLEL = 4;
/** How many histories share faults, a seed and a final read. */
const IN_ROUND = 40;

const PATIENCE_MILLISECONDS = 4_000;
const FINAL_PATIENCE_MILLISECONDS = 20_000;

/** How often each call is made. */
const KINDS: readonly CallKind[] = [
  ...(['upload', 'upload', 'upload', 'upload', 'read', 'read', 'read', 'find'] as const),
  ...(['copy', 'copy-new', 'move', 'move', 'move-new', 'delete', 'delete'] as const),
];

export type Random = () => number;

/** Returns a whole number from 0 to `end` - 1. */
export const below = (end: number, random: Random): number => Math.floor(random() * end);

export const pick = <Value>(values: readonly Value[], random: Random): Value =>
  values[below(values.length, random)] as Value;

/** Something that happens to the replicas or to what they share. Resolves when it is over. */
export interface Fault {
  /** How often it happens, compared to the others. A whole number. */
  readonly weight: number;
  run(random: Random): Promise<unknown>;
}

export interface Deployment extends CheckOptions {
  readonly replicas: readonly Replica[];
  readonly faults: readonly Fault[];
  /** Command that runs the histories of a seed again. */
  readonly command: string;
}

interface Limits {
  readonly seed: number;
  /** Ends after the round in which this many histories are complete. */
  readonly histories: number;
  readonly seconds?: number;
}

interface Result {
  readonly histories: number;
  readonly calls: number;
  /** Histories with too many possible orders. */
  readonly undecided: number;
  /** Calls of unknown outcome. */
  readonly unknown: number;
  readonly faults: number;
  /** One text per violation. */
  readonly violations: readonly string[];
}

/** Lets clients make calls while faults happen, and checks what they have seen. */
export async function runHistories(
  { replicas, faults, command, isMoveAtomic }: Deployment,
  { seed: first, histories: most, seconds = Number.POSITIVE_INFINITY }: Limits,
): Promise<Result> {
  const storage = new StorageCalls();
  const endsAt = performance.now() + seconds * 1000;
  const violations: string[] = [];
  const counts = { histories: 0, undecided: 0, calls: 0, unknown: 0, faults: 0 };
  try {
    for (let seed = first; counts.histories < most && performance.now() < endsAt; seed += 1) {
      const size = Math.min(IN_ROUND, most - counts.histories);
      const recorders = Array.from(
        { length: size },
        (_, at) => new Recorder(storage, replicas, `${seed}-${at}`, createRandom(seed * 1000 + at)),
      );
      counts.faults += await disturb(faults, createRandom(seed), () => runAll(recorders));
      // What was acknowledged must still be there when nothing else happens.
      for (const recorder of recorders) await recorder.finish();
      for (const { calls } of recorders) {
        counts.histories += 1;
        counts.calls += calls.length;
        counts.unknown += calls.filter(({ returned }) => !Number.isFinite(returned)).length;
        const violation = findViolation(calls, { isMoveAtomic });
        if (violation === 'undecided') counts.undecided += 1;
        else if (violation) {
          const again = `cd packages/server && BERTH_HISTORY_SEED=${seed} ${command}`;
          violations.push(describe(violation, again));
        }
      }
    }
    return { ...counts, violations };
  } finally {
    await storage.close();
  }
}

async function runAll(recorders: readonly Recorder[]): Promise<void> {
  const waiting = recorders.values();
  const work = async () => {
    for (const recorder of waiting) await recorder.run();
  };
  await Promise.all(Array.from({ length: PARALLEL }, work));
}

/** Makes faults happen, one after the other, until the work is done. Returns how many there were. */
async function disturb(
  faults: readonly Fault[],
  random: Random,
  work: () => Promise<void>,
): Promise<number> {
  const all = faults.flatMap((fault) => Array<Fault>(fault.weight).fill(fault));
  let count = 0;
  let isDone = false;
  const done = work().finally(() => {
    isDone = true;
  });
  while (!isDone && all.length > 0) {
    await Promise.race([done, wait(below(150, random))]);
    if (isDone) break;
    await pick(all, random).run(random);
    count += 1;
  }
  await done;
  return count;
}

/** What a client will do. */
interface Action {
  readonly kind: CallKind;
  readonly file: string;
  readonly to: string;
  /** Content to upload. */
  readonly content: string;
  /** How many milliseconds the client waits for a response. */
  readonly patience: number;
}

function toPlan(random: Random): Action[][] {
  return Array.from({ length: CLIENTS }, (_, client) =>
    Array.from({ length: CALLS }, (_, at) => {
      const file = pick(FILES, random);
      const isHasty = random() < 0.03;
      return {
        kind: pick(KINDS, random),
        file,
        to: pick(
          FILES.filter((other) => other !== file),
          random,
        ),
        content: `${client}.${at}`,
        patience: isHasty ? below(10, random) : PATIENCE_MILLISECONDS,
      };
    }),
  );
}

/** Makes the calls of one history, and records them. */
class Recorder {
  static #time = 0;
  readonly calls: Call[] = [];
  readonly #storage: StorageCalls;
  readonly #replicas: readonly Replica[];
  readonly #folder: string;
  readonly #random: Random;

  constructor(storage: StorageCalls, replicas: readonly Replica[], folder: string, random: Random) {
    this.#storage = storage;
    this.#replicas = replicas;
    this.#folder = folder;
    this.#random = random;
  }

  async run(): Promise<void> {
    await Promise.all(
      toPlan(this.#random).map(async (actions) => {
        // After an unknown outcome, a client stops: each such call multiplies the possible orders.
        for (const action of actions) if (!(await this.#act(action))) return;
      }),
    );
  }

  /** Reads every file. */
  async finish(): Promise<void> {
    for (const file of FILES) {
      while (!(await this.#read(file, AbortSignal.timeout(FINAL_PATIENCE_MILLISECONDS)))) {
        await wait(50);
      }
    }
  }

  /** Makes a call. Returns false if its outcome is unknown. */
  async #act({ kind, file, to, content, patience }: Action): Promise<boolean> {
    const signal = AbortSignal.timeout(patience);
    const path = this.#toPath(file);
    const storage = this.#storage;
    if (kind === 'read') return this.#read(file, signal);
    if (kind === 'find') return (await this.#find(file, signal)) !== undefined;
    if (kind === 'upload') {
      const url = this.#pickReplica();
      const grant = url && (await storage.grant(url, path, signal).catch(() => undefined));
      if (!grant) return false;
      const stored = await this.#record({ kind, file }, content, (target) =>
        storage.upload(target, grant, path, content, signal),
      );
      return stored !== undefined;
    }
    const isDeletion = kind === 'delete';
    const operation = isDeletion ? 'batchDelete' : 'batchCopyFile';
    const paths = { srcPath: `/${path}`, dstPath: `/${this.#toPath(to)}` };
    const flags = { overwrite: !kind.endsWith('-new'), removeOriginal: kind.startsWith('move') };
    const item = isDeletion ? toFileID(path) : { ...paths, ...flags };
    const outcome = await this.#record({ kind, file, ...(!isDeletion && { to }) }, 'ok', (url) =>
      storage.change(url, operation, item, signal),
    );
    return outcome !== undefined;
  }

  async #find(file: string, signal: AbortSignal): Promise<string | undefined> {
    let found: string | undefined;
    const outcome = await this.#record({ kind: 'find', file }, undefined, async (url) => {
      const { outcome: each, link } = await this.#storage.find(url, this.#toPath(file), signal);
      found = link;
      return each;
    });
    return outcome === 'ok' ? found : outcome;
  }

  /** Reads a file through a link. Returns whether the outcome is known. */
  async #read(file: string, signal: AbortSignal): Promise<boolean> {
    const link = await this.#find(file, signal);
    if (link === undefined || link === 'missing') return link !== undefined;
    const content = await this.#record({ kind: 'read', file }, undefined, (url) =>
      this.#storage.read(url, link, signal),
    );
    return content !== undefined;
  }

  /**
   * Makes a call to one of the replicas, and records it.
   *
   * @param effect outcome if the call succeeds; undefined if it changes nothing
   */
  async #record(
    call: Pick<Call, 'kind' | 'file' | 'to'>,
    effect: string | undefined,
    make: (url: string) => Promise<string>,
  ): Promise<string | undefined> {
    const url = this.#pickReplica();
    if (url === undefined) return undefined;
    const invoked = Recorder.#time++;
    try {
      const outcome = await make(url);
      this.calls.push({ ...call, invoked, returned: Recorder.#time++, outcome });
      return outcome;
    } catch (error) {
      const isSent = (error as NodeJS.ErrnoException).code !== 'ECONNREFUSED';
      if (isSent && effect !== undefined) {
        const returned = Number.POSITIVE_INFINITY;
        this.calls.push({ ...call, invoked, returned, outcome: effect });
      }
      return undefined;
    }
  }

  #pickReplica(): string | undefined {
    const urls = this.#replicas.flatMap(({ url }) => url ?? []);
    return urls.length === 0 ? undefined : pick(urls, this.#random);
  }

  #toPath(file: string): string {
    return `${this.#folder}/${file}`;
  }
}

function describe({ calls, others }: Violation, command: string): string {
  return [
    'No order of these calls explains their outcomes (start..end, call, files, outcome or content):',
    toText(calls),
    ...(others.length === 0
      ? []
      : ['whether or not these had an effect, at any time after their start:', toText(others)]),
    `To run this round again, which takes some attempts because times differ:\n${command}`,
  ].join('\n');
}
