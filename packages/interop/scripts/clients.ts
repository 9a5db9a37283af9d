import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { checkDriven, DRIVEN_CLIENTS } from '../src/driven-clients.ts';
import { GENERATORS, generateClients } from '../src/tools.ts';

// Checks every client, and saves the results for the page.
const FILE = join(import.meta.dirname, '../src/client-results.json');

const generators = GENERATORS.filter(({ id }) => DRIVEN_CLIENTS.some((client) => client.id === id));
await Promise.all(generators.map((generator) => generateClients(generator)));

const results: Record<string, object> = {};
for (const client of DRIVEN_CLIENTS) results[client.id] = await checkDriven(client);
await writeFile(FILE, `${JSON.stringify(results, null, 2)}\n`);
