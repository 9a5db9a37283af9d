import { setTimeout as wait } from 'node:timers/promises';
import { expect } from 'vitest';
import { createRandom } from '../../../server-stubs/test/corpus/random.ts';
import { createStorageClient, type StorageClient } from '../attacks/support/storage-client.ts';
import { findViolation } from './check-history.ts';
import { type Call, type CallKind, toText } from './history.ts';
import { type Cable, PAIR, type Replica } from './replicas.ts';

const { BERTH_HISTORY_SEED, BERTH_HISTORIES } = process.env;

/** `BERTH_HISTORY_SEED` sets the seed of the first round. */
export const SEED = Number(BERTH_HISTORY_SEED ?? Date.now() % 1_000_000);
/** How long a test may take: for a given number of histories, as long as it needs. */
export const LIMIT = BERTH_HISTORIES === undefined ? {} : { timeout: 0 };

const CLIENTS = 8;
const CALLS = 4;
/** The last one has a folder of its own, which disappears with it. */
const FILES = ['a', 'b', 'folder/c'];
/** Histories that run at the same time, because one is often waiting for a frozen replica. */
const PARALLEL = 4;
/** How many histories share faults, a seed and a final read. */
const IN_ROUND = 20;
/** A fault happens before this many more calls have begun or ended. On a slow machine, too, calls outnumber faults. */
const BETWEEN_FAULTS = 60;
const PATIENCE_MILLISECONDS = 4_000;
const FINAL_PATIENCE_MILLISECONDS = 20_000;

/** How often each call is made. */
const KINDS: readonly CallKind[] = [
  ...(['upload', 'upload', 'upload', 'upload', 'read', 'read', 'read', 'read'] as const),
  ...(['copy', 'copy-new', 'move', 'move', 'move-new', 'delete', 'delete'] as const),
];

/** Codes of entries whose outcome is certain. Any other code may come with a change, or without. */
const OUTCOMES: Readonly<Record<string, string>> = {
  SUCCESS: 'ok',
  STORAGE_FILE_NONEXIST: 'missing',
  OBJECT_ALREADY_EXIST: 'exists',
};

type Random = () => number;

/** Returns an integer from 0 to `end` - 1. */
const below = (end: number, random: Random): number => Math.floor(random() * end);

const pick = <Value>(values: readonly Value[], random: Random): Value =>
  values[below(values.length, random)] as Value;

export interface Deployment {
  readonly replicas: readonly Replica[];
  /** What leads from the replicas to what they share. */
  readonly cables: readonly Cable[];
  readonly isMoveAtomic: boolean;
}

/**
 * Lets clients make calls while replicas are killed, frozen and cut off, and checks what the clients have seen.
 *
 * @param histories how many, unless `BERTH_HISTORIES` is set
 */
export async function expectLinearizable(
  { replicas, cables, isMoveAtomic }: Deployment,
  histories: number,
): Promise<void> {
  const most = Number(BERTH_HISTORIES ?? histories);
  const counts = { histories: 0, undecided: 0, calls: 0, unknown: 0, faults: 0 };
  const violations: string[] = [];
  for (let seed = SEED; counts.histories < most; seed += 1) {
    const recorders = Array.from(
      { length: Math.min(IN_ROUND, most - counts.histories) },
      (_, at) => new Recorder(replicas, `${seed}-${at}`, createRandom(seed * 1000 + at)),
    );
    const waiting = recorders.values();
    const work = async () => {
      for (const recorder of waiting) await recorder.run();
    };
    const done = Promise.all(Array.from({ length: PARALLEL }, work));
    counts.faults += await disturb(replicas, cables, createRandom(seed), done);
    // What was acknowledged must still be there when nothing else happens.
    for (const recorder of recorders) await recorder.finish();
    for (const { calls } of recorders) {
      counts.histories += 1;
      counts.calls += calls.length;
      counts.unknown += calls.filter(({ returned }) => !Number.isFinite(returned)).length;
      const violation = findViolation(calls, isMoveAtomic);
      if (violation === 'undecided') counts.undecided += 1;
      else if (violation) {
        violations.push(`No order explains these calls (seed ${seed}):\n${toText(violation)}`);
      }
    }
  }
  process.stdout.write(`${JSON.stringify({ seed: SEED, ...counts })}\n`);
  expect(violations.join('\n\n')).toBe('');
  // How many calls a fault meets depends on the machine; that enough of them have an outcome does not.
  expect(counts.calls - counts.unknown).toBeGreaterThan(counts.histories * 4);
  expect(counts.undecided).toBeLessThan(Math.max(2, counts.histories / 50));
}

/** Makes faults happen, one after the other, until the work is done. Returns how many there were. */
async function disturb(
  replicas: readonly Replica[],
  cables: readonly Cable[],
  random: Random,
  work: Promise<unknown>,
): Promise<number> {
  let isDone = false;
  work.finally(() => (isDone = true)).catch(() => {});
  for (let count = 0; ; count += 1) {
    const next = Recorder.time + below(BETWEEN_FAULTS, random);
    while (!isDone && Recorder.time <= next) await wait(5);
    if (isDone) {
      await work;
      return count;
    }
    const chance = random();
    const replica = pick(replicas, random);
    if (chance < 0.1) {
      await replica.kill();
      await replica.start();
    } else if (chance < 0.5 && cables.length > 0) {
      await pick(cables, random).cut(20 + below(100, random));
    } else {
      await replica.freeze(20 + below(100, random));
    }
  }
}

/** Makes the calls of one history, and records them. */
class Recorder {
  /** Counts the beginnings and ends of calls, of all histories. */
  static time = 0;
  readonly calls: Call[] = [];
  readonly #replicas: readonly Replica[];
  readonly #folder: string;
  readonly #random: Random;

  constructor(replicas: readonly Replica[], folder: string, random: Random) {
    this.#replicas = replicas;
    this.#folder = folder;
    this.#random = random;
  }

  async run(): Promise<void> {
    const plans = Array.from({ length: CLIENTS }, (_, client) =>
      Array.from({ length: CALLS }, (_, at) => {
        const file = pick(FILES, this.#random);
        const others = FILES.filter((other) => other !== file);
        const kind = pick(KINDS, this.#random);
        return { kind, file, to: pick(others, this.#random), content: `${client}.${at}` };
      }),
    );
    await Promise.all(
      plans.map(async (plan) => {
        // After an unknown outcome, a client stops: each such call multiplies the possible orders.
        for (const { kind, file, to, content } of plan) {
          const call = { kind, file, ...(/^(copy|move)/.test(kind) && { to }) };
          const isKnown = await this.#record(call, content, PATIENCE_MILLISECONDS);
          if (!isKnown && kind !== 'read') return;
        }
      }),
    );
  }

  /** Reads every file. */
  async finish(): Promise<void> {
    for (const file of FILES) {
      while (!(await this.#record({ kind: 'read', file }, '', FINAL_PATIENCE_MILLISECONDS))) {
        await wait(50);
      }
    }
  }

  /** Makes a call to one of the replicas, and records it. Returns false if its outcome is unknown. */
  async #record(
    call: Pick<Call, 'kind' | 'file' | 'to'>,
    content: string,
    patience: number,
  ): Promise<boolean> {
    const toUrls = () => this.#replicas.flatMap(({ url }) => url ?? []);
    while (toUrls().length === 0) await wait(20);
    const urls = toUrls();
    const client = createStorageClient(pick(urls, this.#random), PAIR);
    const invoked = Recorder.time++;
    const made = this.#make(client, call, content).catch(() => undefined);
    const outcome = await Promise.race([made, wait(patience, undefined, { ref: false })]);
    if (outcome !== undefined) {
      this.calls.push({ ...call, invoked, returned: Recorder.time++, outcome });
    } else if (call.kind !== 'read') {
      const effect = call.kind === 'upload' ? content : 'ok';
      this.calls.push({ ...call, invoked, returned: Number.POSITIVE_INFINITY, outcome: effect });
    }
    return outcome !== undefined;
  }

  /** Returns the outcome of a call, or undefined if the response does not show it. Nothing is retried. */
  async #make(
    client: StorageClient,
    { kind, file, to }: Pick<Call, 'kind' | 'file' | 'to'>,
    content: string,
  ): Promise<string | undefined> {
    const path = `${this.#folder}/${file}`;
    if (kind === 'upload') {
      const { status } = await client.upload(path, content);
      return status === 204 ? content : undefined;
    }
    const fileID = `cloud://dev.files/${path}`;
    if (kind === 'read') {
      const entry = await change(client, 'batchGetTempUrls', { fileID });
      if (entry.outcome !== 'ok') return entry.outcome;
      const response = await fetch(entry.link);
      const text = await response.text();
      if (response.status === 500) return 'damaged';
      if (response.status === 404) return 'missing';
      return response.status === 200 ? text : undefined;
    }
    if (kind === 'delete') return (await change(client, 'batchDelete', fileID)).outcome;
    const paths = { srcPath: `/${path}`, dstPath: `/${this.#folder}/${to}` };
    const flags = { overwrite: !kind.endsWith('-new'), removeOriginal: kind.startsWith('move') };
    return (await change(client, 'batchCopyFile', { ...paths, ...flags })).outcome;
  }
}

/** Calls an operation for one item. */
async function change(client: StorageClient, operation: string, item: unknown) {
  const { data } = await client.call(operation, { fileList: [item] });
  const entry = data?.fileList[0];
  // Copies that succeed have no code.
  const outcome = OUTCOMES[entry ? (entry.code ?? 'SUCCESS') : ''];
  return { outcome, link: entry?.tempFileURL ?? '' };
}
