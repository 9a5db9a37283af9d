import { toBoundRow } from '../compare.ts';
import type { Figure, Suite } from '../row.ts';
import { runProgram } from '../start-process.ts';

const MOST_SECONDS = 40;
const FIGURE: Figure = {
  suite: 'conformance',
  measure: 'every check, on the reference server and on the mock, s',
  peerName: `bound of ${MOST_SECONDS} s`,
  goal: '<= 1',
};

/** What `npm run conformance` does, once: it has no peer, and it is red where a check is. */
export const conformanceSuite: Suite = {
  name: FIGURE.suite,
  description: 'The conformance suite on the reference server and on the mock',
  figures: [FIGURE],
  async run() {
    const start = performance.now();
    await runProgram(['pnpm', '--filter', '@berth/proof', 'run', 'conformance']);
    return [toBoundRow(FIGURE, (performance.now() - start) / 1000, MOST_SECONDS)];
  },
};
