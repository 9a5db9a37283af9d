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
