import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import gateway from '@berth/spec/gateway.v1.json' with { type: 'json' };
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CALL_IDS, type CallId, type Deployment } from '../src/checks.ts';
import { MOCK_SERVERS, runMockServer, startMockServer } from '../src/mock-servers.ts';
import { runGenerator } from '../src/run-matrix.ts';
import { startDeployments } from '../src/start-deployments.ts';
import { toCell } from '../src/to-cell.ts';
import { checkTypes, GENERATORS, type Generator, generateClients, toFile } from '../src/tools.ts';

/** The large tools only run in `npm run soak`. */
const isInstalled = ({ packages }: { packages?: readonly string[] }) =>
  process.env.BERTH_INTEROP === 'all' || packages === undefined;
const generators = GENERATORS.filter(isInstalled);
const mockServers = MOCK_SERVERS.filter(isInstalled);

let deployments: Record<'mock' | 'server', Deployment>;
let close: () => Promise<void>;

beforeAll(async () => {
  ({ deployments, close } = await startDeployments());
  await Promise.all(generators.map((generator) => generateClients(generator)));
});
afterAll(() => close());

function expected(tool: Parameters<typeof toCell>[0]): Record<CallId, string> {
  return Object.fromEntries(CALL_IDS.map((id) => [id, toCell(tool, id)])) as Record<CallId, string>;
}

describe.each(generators)('$id', (generator) => {
  it.each(['mock', 'server'] as const)('calls the %s', async (name) => {
    expect(await runGenerator(generator, deployments[name])).toEqual(expected(generator));
  });
});

it('the calls compile with the generated clients', async () => {
  await checkTypes(generators);
});

describe.each(mockServers)('$id', (server) => {
  it('serves the documents', async () => {
    const { send, close: stop } = await startMockServer(server);
    try {
      const cells: [string, string][] = [];
      for (const id of CALL_IDS) cells.push([id, await runMockServer(id, send, server)]);
      expect(Object.fromEntries(cells)).toEqual(expected(server));
    } finally {
      await stop();
    }
  });
});

it('five of the seven tools make every call', () => {
  const complete = [...GENERATORS, ...MOCK_SERVERS].filter((tool) =>
    CALL_IDS.every((id) => toCell(tool, id) !== 'no'),
  );
  expect(complete.length).toBeGreaterThanOrEqual(5);
});

describe('a document with event streams as content', () => {
  it('makes a generated client read every response as an event stream', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'berth-interop-'));
    const document = structuredClone(gateway);
    const { ServiceResponse: response } = document.components.responses;
    Object.assign(response.content, response['x-berth-content']);
    const file = join(folder, 'gateway.v1.json');
    await writeFile(file, JSON.stringify(document));
    const redocly = generators.find(({ id }) => id === 'redocly') as Generator;
    const documents = { 'gateway.v1': file, 'storage.v2': toFile('storage.v2') };
    try {
      await redocly.generate(documents, folder);
      const { client } = await import(/* @vite-ignore */ join(folder, 'gateway.v1.ts'));
      const returned = client.cloudrun_get_root({ path: { name: 'hello' } });
      expect(typeof returned[Symbol.asyncIterator]).toBe('function');
      expect(returned.then).toBeUndefined();
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});
