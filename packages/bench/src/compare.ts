type Side = () => Promise<number>;

/**
 * Measures both sides in turn, `runs` times after one round that does not count, and compares them
 * pair by pair: a machine whose speed drifts moves both figures of a pair alike.
 */
export async function compare(figure: Figure, runs: number, ours: Side, peer: Side): Promise<Row> {
  await ours();
  await peer();
  const pairs: { ours: number; peer: number }[] = [];
  for (let run = 0; run < runs; run += 1) {
    // Whoever is second may find the machine warmer, so the two change places.
    if (run % 2 === 0) pairs.push({ ours: await ours(), peer: await peer() });
    else pairs.push(reverse({ ours: await peer(), peer: await ours() }));
  }
  return toRow(figure, pairs);
}

/** The row of pairs that were measured in turn. */
export function toRow(
  figure: Figure,
  pairs: readonly { readonly ours: number; readonly peer: number }[],
): Row {
  const ratio = median(pairs.map((pair) => pair.ours / pair.peer));
  return {
    ...figure,
    ours: median(pairs.map((pair) => pair.ours)),
    peer: median(pairs.map((pair) => pair.peer)),
    runs: pairs.length,
    ratio,
    holds: isWithin(ratio, figure.goal),
  };
}

/** The row of one measurement against a bound that always stands. */
export function toBoundRow(figure: Figure, ours: number, bound: number, runs = 1): Row {
  const pairs = [{ ours, peer: bound }];
  return { ...toRow(figure, pairs), runs };
}

function reverse({ ours, peer }: { ours: number; peer: number }) {
  return { ours: peer, peer: ours };
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2;
}

export function isWithin(ratio: number, goal: Goal): boolean {
  const bound = Number(goal.slice(3));
  return goal.startsWith('>=') ? ratio >= bound : ratio <= bound;
}

/** What a suite measures, beside whom, and the bound that it has to keep. */
export type Figure = {
  suite: string;
  /** What is measured, with its unit. */
  measure: string;
  /** The other side of the comparison; `bound of …` where it is a number that always stands. */
  peerName: string;
  /** Bound on the ratio ours / peer. */
  goal: Goal;
};

/** `>= 2`: at least twice the peer's figure; `<= 1.2`: at most 1.2 times it; `>= 0`: stated, no bound. */
export type Goal = `${'>=' | '<='} ${number}`;

/** One line of the result: ours and the peer's figure, taken in turn in the same run. */
export type Row = Figure & {
  /** Median of our figures. */
  ours: number;
  /** Median of the peer's figures. */
  peer: number;
  /** How many pairs were measured. */
  runs: number;
  /** Median of the ratios ours / peer, pair by pair. */
  ratio: number;
  holds: boolean;
};

/** A row as it is kept: it tells when and where it was measured, and against which version. */
export type DatedRow = Row & {
  /** ISO 8601. */
  date: string;
  /** Processor, cores, memory, system and Node. */
  machine: string;
  /** Version of the peer; empty for a bound, and for what Node itself brings. */
  peerVersion: string;
};

/** A suite measures what it declares, and gives a row for each. */
export type Suite = {
  name: string;
  description: string;
  figures: readonly Figure[];
  run: (runs: number) => Promise<Row[]>;
};
