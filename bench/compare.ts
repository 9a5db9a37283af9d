/** A figure that a suite measures, the peer to compare it with, and its goal. */
export type Figure = {
  suite: string;
  /** What is measured, with its unit. */
  measure: string;
  /** The other side of the comparison; `limit` for a fixed number. */
  peerName: string;
  /** Limit of the ratio ours / peer: `>= 2` means at least twice the peer's figure. */
  goal: `${'>=' | '<='} ${number}`;
};

/** A row in the results: our figure and the peer's, measured alternately in the same run. */
export type Row = Figure & {
  /** Median of our figures. */
  ours: number;
  /** Median of the peer's figures. */
  peer: number;
  /** Number of measured pairs. */
  runs: number;
  /** Median of the ratios ours / peer, pair by pair. */
  ratio: number;
  holds: boolean;
};

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
  const ratio = median(pairs.map((pair) => pair.ours / pair.peer));
  const limit = Number(figure.goal.slice(3));
  return {
    ...figure,
    ours: median(pairs.map((pair) => pair.ours)),
    peer: median(pairs.map((pair) => pair.peer)),
    runs,
    ratio,
    holds: figure.goal.startsWith('>=') ? ratio >= limit : ratio <= limit,
  };
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2;
}

/** Renders a row of a Markdown table. */
export function toLine(cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |\n`;
}

export function toCells({ suite, measure, peerName, goal, holds, ...row }: Row): string[] {
  const figures = [row.ours, row.peer].map((value) =>
    value >= 100 ? Math.round(value).toLocaleString('en') : value.toPrecision(3),
  );
  const ratio = row.ratio.toFixed(2);
  return [suite, measure, ...figures, peerName, `${row.runs}`, ratio, goal, holds ? 'yes' : 'NO'];
}
