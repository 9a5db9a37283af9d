import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { DOCUMENTS, type DocumentId, prepareSubject } from '../src/peers/documents.ts';
import { type Figures, measure } from '../src/peers/measure.ts';
import {
  type AllFigures,
  PAGE,
  readPage,
  replaceSection,
  toSection,
} from '../src/peers/to-section.ts';

const USAGE = `Usage: npm run compare -- [--check] [document...]

Measures Berth and other tools on other people's documents, and writes the tables of the comparison.
With names of documents (${Object.keys(DOCUMENTS).join(', ')}), it only measures these,
and takes the other figures from earlier runs.

  --check  do not write the page; fail if it differs
`;
/** ReadMe's second version has 54 operations and large schemas: a run of a suite takes too long for each fault. */
const FAULTS: Readonly<Partial<Record<DocumentId, number>>> = { readme: 0 };
const USUAL_FAULTS = 22;
const FOLDER = join(import.meta.dirname, '../generated/figures');

const all = Object.keys(DOCUMENTS) as DocumentId[];
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { check: { type: 'boolean', default: false }, help: { type: 'boolean', short: 'h' } },
});
const unknown = positionals.filter((name) => !all.includes(name as DocumentId));
if (values.help) process.stdout.write(USAGE);
else if (unknown.length > 0) {
  process.stderr.write(`There is no document ${unknown.join(', ')}.\n\n${USAGE}`);
  process.exitCode = 2;
} else await compare(positionals.length > 0 ? (positionals as DocumentId[]) : all);

async function compare(ids: readonly DocumentId[]): Promise<void> {
  await mkdir(FOLDER, { recursive: true });
  for (const id of ids) {
    const figures = await measure(await prepareSubject(id), { faults: FAULTS[id] ?? USUAL_FAULTS });
    await writeFile(toFile(id), JSON.stringify(figures, null, 2));
    process.stdout.write(`${id}: ${JSON.stringify(figures)}\n`);
  }
  const read = await Promise.all(
    all.map(async (id) => [id, JSON.parse(await readFile(toFile(id), 'utf8')) as Figures]),
  );
  const before = readPage();
  const after = replaceSection(before, toSection(Object.fromEntries(read) as AllFigures));
  if (!values.check) await writeFile(PAGE, after);
  else if (after !== before) {
    process.stderr.write(
      `${PAGE} differs from this run; npm run compare writes it again.\n${after}`,
    );
    process.exitCode = 1;
  }
}

function toFile(id: DocumentId): string {
  return join(FOLDER, `${id}.json`);
}
