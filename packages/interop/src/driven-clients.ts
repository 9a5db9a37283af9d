import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import measured from './client-results.json' with { type: 'json' };
import { findManifest, GENERATORS, NODE_OPTIONS, runNode } from './tools.ts';

const DRIVERS = join(import.meta.dirname, '../clients/drivers');

/** A client that `berth-conformance client` checks. */
interface DrivenClient {
  readonly id: string;
  readonly name: string;
  /** The driver, a module that Node runs, and its arguments. */
  readonly driver: readonly string[];
}

/** The clients of the table: ours, plain fetch, and the generated clients. */
export const DRIVEN_CLIENTS: readonly DrivenClient[] = [
  {
    id: 'berth',
    name: '`@berth/client`',
    driver: [join(findManifest('@berth/conformance'), '../drivers/berth-client.ts')],
  },
  { id: 'fetch', name: 'plain `fetch`', driver: [join(DRIVERS, 'drive.ts'), 'fetch'] },
  ...GENERATORS.map(({ id, name }) => ({ id, name, driver: [join(DRIVERS, 'drive.ts'), id] })),
];

/** The outcome of each rule, by its ID. */
export type ClientOutcomes = Readonly<Record<string, string>>;

/** The results on the page, by client; `npm run clients` writes them. */
export const CLIENT_RESULTS: Readonly<Record<string, ClientOutcomes>> = measured;

/** Checks a client with the suite. */
export async function checkDriven({ driver }: DrivenClient): Promise<ClientOutcomes> {
  const folder = await mkdtemp(join(tmpdir(), 'berth-interop-'));
  const report = join(folder, 'report.json');
  const options = ['--timeout', '300000', '--report', `json=${report}`];
  const hooks = ['--import', join(DRIVERS, 'typescript-imports.ts')];
  const command = [process.execPath, ...NODE_OPTIONS, ...hooks, ...driver];
  try {
    // It fails if the client breaks a rule.
    await runNode('@berth/conformance', 'src/cli.ts', [
      ...['client', ...options, '--', ...command],
    ]).catch(() => {});
    const { extra } = JSON.parse(await readFile(report, 'utf8'));
    const results: { id: string; outcome: string }[] = extra.berth.results;
    return Object.fromEntries(results.map(({ id, outcome }) => [id, outcome]));
  } finally {
    await rm(folder, { recursive: true });
  }
}
