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
  return toRow(figure, pairs);
}

function toRow(
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

/** Creates a figure that is compared with a fixed limit, such as `60 ms`. */
export function toLimit(suite: string, measure: string, limit: string): Figure {
  return { suite, measure, peerName: `limit of ${limit}`, goal: '<= 1' };
}

function limitOf({ peerName }: Figure): number {
  return Number(peerName.replaceAll(/\D/g, ''));
}

/** Like `compare`, with the figure's limit. */
export function compareToLimit(figure: Figure, runs: number, ours: Side): Promise<Row> {
  return compare(figure, runs, ours, async () => limitOf(figure));
}

/** Creates a row that compares a single measurement with the figure's limit. */
export function toLimitRow(figure: Figure, ours: number, runs = 1): Row {
  return { ...toRow(figure, [{ ours, peer: limitOf(figure) }]), runs };
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2;
}

function isWithin(ratio: number, goal: Goal): boolean {
  const limit = Number(goal.slice(3));
  return goal.startsWith('>=') ? ratio >= limit : ratio <= limit;
}

/** A figure that a suite measures, the peer to compare it with, and its goal. */
export type Figure = {
  suite: string;
  /** What is measured, with its unit. */
  measure: string;
  /** The other side of the comparison; `limit of …` for a fixed number. */
  peerName: string;
  /** Limit of the ratio ours / peer. */
  goal: Goal;
};

/**
 * A goal relative to the peer's figure: `>= 2` means at least twice that figure, `<= 1.2` means at most 1.2 times
 * that figure.
 */
export type Goal = `${'>=' | '<='} ${number}`;

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
export type Suite = {
  name: string;
  description: string;
  run: (runs: number) => Promise<Row[]>;
};

const HEAD = ['suite', 'measure', 'ours', 'peer', 'peer is', 'runs', 'ratio', 'goal', 'met'];

/** Renders a Markdown table. */
export function toTable(rows: readonly Row[]): string {
  return [HEAD, HEAD.map(() => '---'), ...rows.map(toCells)]
    .map((cells) => `| ${cells.join(' | ')} |`)
    .join('\n');
}

function toCells(row: Row): string[] {
  return [
    row.suite,
    row.measure,
    toFigure(row.ours),
    toFigure(row.peer),
    row.peerName,
    String(row.runs),
    row.ratio.toFixed(2),
    row.goal,
    row.holds ? 'yes' : 'NO',
  ];
}

function toFigure(value: number): string {
  return value >= 100 ? Math.round(value).toLocaleString('en') : value.toPrecision(3);
}
