import { beforeAll, expect, it } from 'vitest';
import { CLIENT_RESULTS, checkDriven, DRIVEN_CLIENTS } from '../src/driven-clients.ts';
import { GENERATORS, generateClients } from '../src/tools.ts';

/** The generated clients only run in `npm run soak`. */
const isAll = process.env.BERTH_INTEROP === 'all';
const clients = DRIVEN_CLIENTS.filter(({ id }) => isAll || id === 'fetch');

beforeAll(async () => {
  const generated = GENERATORS.filter(({ id }) => clients.some((client) => client.id === id));
  await Promise.all(generated.map((generator) => generateClients(generator)));
});

it.each(clients)('$id follows the rules that the page shows', async (client) => {
  expect(await checkDriven(client)).toEqual(CLIENT_RESULTS[client.id]);
});
