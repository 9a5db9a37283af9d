/** One line of the result: ours and the peer's figure, taken in turn in the same run. */
export type Row = {
  suite: string;
  /** What was measured, with its unit. */
  measure: string;
  /** Median of our figures. */
  ours: number;
  /** Median of the peer's figures. */
  peer: number;
  peerName: string;
  /** How many pairs were measured. */
  runs: number;
  /** Median of the ratios ours / peer, pair by pair. */
  ratio: number;
  /** Bound on the ratio. */
  goal: Goal;
  holds: boolean;
};

/** `>= 2`: at least twice the peer's figure; `<= 1.2`: at most 1.2 times it. */
export type Goal = `${'>=' | '<='} ${number}`;

/** A suite measures one thing and gives its rows. */
export type Suite = {
  name: string;
  description: string;
  run: (runs: number) => Promise<Row[]>;
};
