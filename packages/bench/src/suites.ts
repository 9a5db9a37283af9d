import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { rolldown } from 'rolldown';
import { compare, type Figure, type Suite, toLimitRow, toRow } from './compare.ts';
import { commandOf, makeTemporaryFolder, runProgram } from './processes.ts';

import { clientSuite } from './suites/client.ts';
import { filesSuite } from './suites/files.ts';
import { gatewaySuite } from './suites/gateway.ts';
import { mockSuite } from './suites/mock.ts';
import { stubsSuite } from './suites/stubs.ts';

const MOST_SECONDS = 40;

const FIGURE: Figure = {
  suite: 'conformance',
  measure: 'all checks, on the reference server and on the mock, s',
  peerName: `limit of ${MOST_SECONDS} s`,
  goal: '<= 1',
};

/** Runs `npm run conformance` once. It has no peer, and fails if a check fails. */
const conformanceSuite: Suite = {
  name: FIGURE.suite,
  description: 'The conformance suite on the reference server and on the mock',
  figures: [FIGURE],
  async run() {
    const start = performance.now();
    await runProgram(['pnpm', '--filter', '@berth/proof', 'run', 'conformance']);
    return [toLimitRow(FIGURE, (performance.now() - start) / 1000, MOST_SECONDS)];
  },
};

const GENERATOR_MOST_SECONDS = 2;

const GENERATOR_FIGURE: Figure = {
  suite: 'generator',
  measure: 'stubs generated for both OpenAPI documents, s',
  peerName: `limit of ${GENERATOR_MOST_SECONDS} s`,
  goal: '<= 1',
};

const DOCUMENTS = ['gateway.v1', 'storage.v2'].map((name) =>
  fileURLToPath(import.meta.resolve(`@berth/spec/${name}.json`)),
);

/** Runs the `berth-stubs` command from start to exit, on one document after the other. */
const generatorSuite: Suite = {
  name: GENERATOR_FIGURE.suite,
  description: 'The server stub generator against its limit',
  figures: [GENERATOR_FIGURE],
  run: async (runs) => [
    await compare(GENERATOR_FIGURE, runs, timeGenerator, async () => GENERATOR_MOST_SECONDS),
  ],
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

const SUITE = 'sizes';

/** Matches the module that loads openapi-fetch for raw calls; both are loaded on the first raw call. */
const RAW_CALLS = /\/send-raw\.js$/;

const ENTRIES = [
  {
    name: 'gateway, events and WebSockets',
    code: "export { bearer, createGatewayClient } from '@berth/client'",
    bytes: 8_000,
  },
  { name: 'storage', code: "export { createStorageClient } from '@berth/client'", bytes: 9_000 },
  { name: 'everything', code: "export * from '@berth/client'", bytes: 15_000, isAll: true },
];

const WEIGHTS = [
  ...ENTRIES.flatMap(({ name, code, bytes, isAll = false }) => [
    { figure: toFigure(name, bound(bytes)), code, leftOut: RAW_CALLS, bytes },
    // The limits apply to ordinary calls; raw calls add openapi-fetch.
    {
      figure: toFigure(`${name}, with raw calls`, bound(bytes), isAll ? '<= 1' : '>= 0'),
      code,
      leftOut: undefined,
      bytes,
    },
  ]),
];

const PEERS = [
  {
    figure: toFigure('gateway, events and WebSockets', 'openapi-fetch', '>= 0'),
    code: "export { default } from 'openapi-fetch'",
  },
  {
    figure: toFigure('gateway, events and WebSockets', 'ky', '>= 0'),
    code: "export { default } from 'ky'",
  },
];

/** What the client adds to a page: one minified and gzipped file. Sizes do not vary, so one run is enough. */
const sizesSuite: Suite = {
  name: SUITE,
  description: 'The client bundles against their limits, openapi-fetch and ky',
  figures: [...WEIGHTS, ...PEERS].map(({ figure }) => figure),
  async run() {
    const ours = await bundleSize(ENTRIES[0]?.code ?? '', RAW_CALLS);
    return [
      ...(await Promise.all(
        WEIGHTS.map(async ({ figure, code, leftOut, bytes }) =>
          toLimitRow(figure, await bundleSize(code, leftOut), bytes),
        ),
      )),
      ...(await Promise.all(
        PEERS.map(async ({ figure, code }) =>
          toRow(figure, [{ ours, peer: await bundleSize(code) }]),
        ),
      )),
    ];
  },
};

function bound(bytes: number): string {
  return `limit of ${bytes.toLocaleString('en')} B`;
}

function toFigure(name: string, peerName: string, goal: Figure['goal'] = '<= 1'): Figure {
  return { suite: SUITE, measure: `${name}, min+gzip bytes`, peerName, goal };
}

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
