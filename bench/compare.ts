/** A figure that a suite measures, the peer to compare it with, and its goal. */
export type Figure = {
  /** What is measured, with its unit. */
  measure: string;
  /** The other side of the comparison; `limit` for a fixed number. */
  peerName: string;
  /** Limit of the ratio ours / peer: `>= 2` means at least twice the peer's figure. */
  goal: `${'>=' | '<='} ${number}`;
};

/** A row in the results: medians of our figures, of the peer's, and of the ratios, pair by pair. */
export type Row = Figure & { ours: number; peer: number; runs: number; ratio: number };

/** Measures figures of one part of Berth. */
export type Suite = { name: string; description: string; run: (runs: number) => Promise<Row[]> };

type Side = () => Promise<number>;

/**
 * Measures both sides alternately, `runs` times after a warm-up round, and compares them pair by pair. If the
 * machine slows down, both figures in a pair are affected.
 */
export async function compare(figure: Figure, runs: number, ours: Side, peer: Side): Promise<Row> {
  await ours();
  await peer();
  const pairs: { ours: number; peer: number }[] = [];
  for (let run = 0; run < runs; run += 1) {
    // Whichever side goes second may benefit from warm caches, so the order alternates.
    if (run % 2 === 0) pairs.push({ ours: await ours(), peer: await peer() });
    else pairs.push({ peer: await peer(), ours: await ours() });
  }
  return {
    ...figure,
    ours: median(pairs.map((pair) => pair.ours)),
    peer: median(pairs.map((pair) => pair.peer)),
    runs,
    ratio: median(pairs.map((pair) => pair.ours / pair.peer)),
  };
}

/** Compares our figures with a fixed number. */
export function compareWithLimit(measure: string, runs: number, ours: Side, limit: number) {
  return compare({ measure, peerName: 'limit', goal: '<= 1' }, runs, ours, async () => limit);
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = (sorted.length - 1) / 2;
  const [lower = Number.NaN, upper = lower] = sorted.slice(Math.floor(middle), middle + 1);
  return (lower + upper) / 2;
}

/** Returns whether a row meets its goal. */
export function isMet({ goal, ratio }: Row): boolean {
  const limit = Number(goal.slice(3));
  return goal.startsWith('>=') ? ratio >= limit : ratio <= limit;
}
