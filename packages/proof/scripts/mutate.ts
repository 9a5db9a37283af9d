/* biome-ignore-all lint/suspicious/noConsole: a script talks to the terminal */

import { parseArgs } from 'node:util';
import { mutateSources } from '../src/soak/mutate-sources.ts';
import { writePage } from '../src/soak/results.ts';

const HELP = `Usage: npm run mutate -- [options]

Checks whether the conformance suite finds mutants of the reference server's source code, and writes
docs/reference/mutants.md. Exits with 1 if a survivor is not in src/source-mutants/survivors.ts.

  --sample <n>     number of mutants to draw (200)
  --seed <n>       seed of the draw (1)
  --processes <n>  number of mutants to check at the same time (2)
  --keep           keep the saved results, and check only mutants without one
  --page           only write the page, from the saved results
  --help           show this help`;

const { values } = parseArgs({
  options: {
    sample: { type: 'string' },
    seed: { type: 'string' },
    processes: { type: 'string' },
    keep: { type: 'boolean' },
    page: { type: 'boolean' },
    help: { type: 'boolean' },
  },
});

if (values.help) console.log(HELP);
else if (values.page) await writePage();
else {
  const { keep = false } = values;
  const numbers = {
    ...toNumber('sample', 100_000),
    ...toNumber('seed', 2 ** 31),
    ...toNumber('processes', 64),
  };
  const bad = await mutateSources({ ...numbers, keep });
  process.exitCode = bad > 0 ? 1 : 0;
}

function toNumber(name: 'sample' | 'seed' | 'processes', most: number) {
  const text = values[name];
  if (text === undefined) return {};
  const value = Number(text);
  if (Number.isInteger(value) && value >= 1 && value <= most) return { [name]: value };
  console.error(`--${name} must be an integer from 1 to ${most}, not ${text}.`);
  process.exit(2);
}
