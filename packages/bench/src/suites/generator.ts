import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { commandOf } from '../command-of.ts';
import { compare } from '../compare.ts';
import { makeTemporaryFolder } from '../make-temporary-folder.ts';
import type { Figure, Suite } from '../row.ts';
import { runProgram } from '../start-process.ts';

const MOST_SECONDS = 2;
const FIGURE: Figure = {
  suite: 'generator',
  measure: 'both documents of the contract generated, s',
  peerName: `bound of ${MOST_SECONDS} s`,
  goal: '<= 1',
};
const DOCUMENTS = ['gateway.v1', 'storage.v2'].map((name) =>
  fileURLToPath(import.meta.resolve(`@berth/spec/${name}.json`)),
);

/** The command line `berth-stubs`, from its start to its end, on one document after the other. */
export const generatorSuite: Suite = {
  name: FIGURE.suite,
  description: 'The generator of the server stubs against its bound',
  figures: [FIGURE],
  run: async (runs) => [await compare(FIGURE, runs, timeGenerator, async () => MOST_SECONDS)],
};

async function timeGenerator(): Promise<number> {
  const folder = makeTemporaryFolder('generator');
  try {
    const start = performance.now();
    for (const [index, document] of DOCUMENTS.entries()) {
      const output = join(folder, String(index));
      const command = commandOf('@berth/server-stubs');
      await runProgram([process.execPath, command, document, '--output', output]);
    }
    return (performance.now() - start) / 1000;
  } finally {
    await rm(folder, { recursive: true });
  }
}
