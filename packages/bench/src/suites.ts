import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { rolldown } from 'rolldown';
import { compareToLimit, type Figure, type Suite, toLimit, toLimitRow, toRow } from './compare.ts';
import { commandOf, makeTemporaryFolder, run, runNode } from './processes.ts';
import { clientSuite } from './suites/client.ts';
import { filesSuite } from './suites/files.ts';
import { gatewaySuite } from './suites/gateway.ts';
import { mockSuite } from './suites/mock.ts';
import { stubsSuite } from './suites/stubs.ts';

const CONFORMANCE = toLimit(
  'conformance',
  'all checks, on the reference server and on the mock, s',
  '40 s',
);

/** Runs `npm run conformance` once. It has no peer, and fails if a check fails. */
const conformanceSuite: Suite = {
  name: CONFORMANCE.suite,
  description: 'The conformance suite on the reference server and on the mock',
  figures: [CONFORMANCE],
  async run() {
    const start = performance.now();
    await run(['pnpm', '--filter', '@berth/proof', 'run', 'conformance']);
    return [toLimitRow(CONFORMANCE, (performance.now() - start) / 1000)];
  },
};

const GENERATOR = toLimit('generator', 'stubs generated for both OpenAPI documents, s', '2 s');

const DOCUMENTS = ['gateway.v1', 'storage.v2'].map((name) =>
  fileURLToPath(import.meta.resolve(`@berth/spec/${name}.json`)),
);

/** Runs the `berth-stubs` command from start to exit, on one document after the other. */
const generatorSuite: Suite = {
  name: GENERATOR.suite,
  description: 'The server stub generator against its limit',
  figures: [GENERATOR],
  run: async (runs) => [await compareToLimit(GENERATOR, runs, timeGenerator)],
};

async function timeGenerator(): Promise<number> {
  const folder = makeTemporaryFolder('generator');
  try {
    const start = performance.now();
    for (const [index, document] of DOCUMENTS.entries()) {
      const output = join(folder, String(index));
      await runNode([commandOf('@berth/server-stubs'), document, '--output', output]);
    }
    return (performance.now() - start) / 1000;
  } finally {
    await rm(folder, { recursive: true });
  }
}

const ENTRY = 'entry.js';

/**
 * Bundles a small browser program into one minified file, and returns its gzipped size in bytes.
 *
 * @param leftOut file names of the modules to leave out
 */
async function bundleSize(code: string, leftOut = /^$/): Promise<number> {
  const build = await rolldown({
    cwd: import.meta.dirname,
    input: ENTRY,
    platform: 'browser',
    preserveEntrySignatures: 'allow-extension',
    external: (id) => leftOut.test(id),
    plugins: [
      {
        name: 'entry',
        resolveId: (id) => (id === ENTRY ? { id: `${import.meta.dirname}/${ENTRY}` } : null),
        load: (id) => (id.endsWith(`/${ENTRY}`) ? code : null),
      },
    ],
  });
  const { output } = await build.generate({ format: 'esm', minify: true, codeSplitting: false });
  await build.close();
  return gzipSync(output[0].code).length;
}

/** Matches the module that loads openapi-fetch for raw calls; both are loaded on the first raw call. */
const RAW_CALLS = /\/send-raw\.js$/;

const GATEWAY = 'gateway, events and WebSockets';

/** What is bundled; the limits apply to ordinary calls, and raw calls add openapi-fetch. */
const BUNDLES = [
  {
    name: GATEWAY,
    code: "export { bearer, createGatewayClient } from '@berth/client'",
    limit: '8,000 B',
  },
  {
    name: 'storage',
    code: "export { createStorageClient } from '@berth/client'",
    limit: '9,000 B',
  },
  { name: 'everything', code: "export * from '@berth/client'", limit: '15,000 B' },
].flatMap(({ name, code, limit }) => {
  const own = toLimit('sizes', `${name}, min+gzip bytes`, limit);
  const all = toLimit('sizes', `${name}, with raw calls, min+gzip bytes`, limit);
  const goal: Figure['goal'] = name === 'everything' ? '<= 1' : '>= 0';
  return [
    { figure: own, code, leftOut: RAW_CALLS },
    { figure: { ...all, goal }, code },
  ];
});

const PEERS = ['openapi-fetch', 'ky'].map((peerName): Figure => {
  return { suite: 'sizes', measure: `${GATEWAY}, min+gzip bytes`, peerName, goal: '>= 0' };
});

/** What the client adds to a page: one minified and gzipped file. Sizes do not vary, so one run is enough. */
const sizesSuite: Suite = {
  name: 'sizes',
  description: 'The client bundles against their limits, openapi-fetch and ky',
  figures: [...BUNDLES.map(({ figure }) => figure), ...PEERS],
  async run() {
    const rows = await Promise.all(
      BUNDLES.map(async ({ figure, code, leftOut }) =>
        toLimitRow(figure, await bundleSize(code, leftOut)),
      ),
    );
    const ours = rows[0]?.ours ?? Number.NaN;
    const compared = PEERS.map(async (figure) => {
      const peer = await bundleSize(`export { default } from '${figure.peerName}'`);
      return toRow(figure, [{ ours, peer }]);
    });
    return [...rows, ...(await Promise.all(compared))];
  },
};

/** All suites, in the order in which they run. */
export const suites: readonly Suite[] = [
  generatorSuite,
  stubsSuite,
  gatewaySuite,
  filesSuite,
  sizesSuite,
  clientSuite,
  mockSuite,
  conformanceSuite,
];
