import type { Paint } from '../report/to-lines.ts';

/** Where the command line writes. */
export interface Output {
  out(line: string): void;
  error(line: string): void;
  /** Shows how far the run is, on a terminal only; an empty text removes it. */
  progress?(text: string): void;
  paint?: Paint;
}
