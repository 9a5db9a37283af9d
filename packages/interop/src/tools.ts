import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { findPackageJSON } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runCommand } from '@berth/runtimes/run-command';
import type { CallId } from './checks.ts';

const ROOT = join(import.meta.dirname, '..');
const DOCUMENTS = ['gateway.v1', 'storage.v2'] as const;
const ENV = process.env as Record<string, string>;

export type DocumentName = (typeof DOCUMENTS)[number];

/** A setting that some calls need, and the region of the module in `clients/` that shows it. */
interface Setting {
  readonly calls: readonly CallId[];
  readonly why: string;
  readonly file: string;
  readonly region: string;
}

export interface Generator {
  readonly name: string;
  /** Module in `clients/`, and folder in `generated/`. */
  readonly id: string;
  /** Its packages, if they are too large to be installed for every test run. */
  readonly packages?: readonly string[];
  /** The version that is installed. */
  readonly package: string;
  /** What a user runs for a document. */
  readonly command: string;
  /** The file that the command reads. */
  readonly config?: string;
  /** Generates a client from each document. */
  generate(documents: Readonly<Record<DocumentName, string>>, folder: string): Promise<void>;
  readonly settings: readonly Setting[];
}

/** Returns the path of a published document. */
export function toFile(name: DocumentName): string {
  return fileURLToPath(import.meta.resolve(`@berth/spec/${name}.json`));
}

const PATH: readonly CallId[] = ['getPath', 'postPath'];
const ENCODED =
  'It encodes `/` in a path parameter, as OpenAPI 3.1 requires. This setting sends `anyPath` unchanged.';
const VERBATIM =
  'It appends the path `/`. This setting posts the form to exactly the `url` that was returned.';

export const GENERATORS: readonly Generator[] = [
  {
    name: '`@hey-api/openapi-ts`',
    id: 'hey-api',
    package: '@hey-api/openapi-ts',
    command: 'npx @hey-api/openapi-ts -i gateway.v1.json -o gateway -c @hey-api/client-fetch',
    generate: withBin('@hey-api/openapi-ts/bin/run.js', (file, output) => [
      ...['-i', file, '-o', output, '-c', '@hey-api/client-fetch', '--no-log-file'],
    ]),
    settings: [
      setting('hey-api', 'path', PATH, ENCODED),
      setting(
        'hey-api',
        'events',
        ['events'],
        'A typed call reads the response to its end. This reads the events as they arrive.',
      ),
      setting('hey-api', 'upload', ['upload'], VERBATIM),
    ],
  },
  {
    name: '`openapi-typescript`, `openapi-fetch`',
    id: 'openapi-fetch',
    package: 'openapi-fetch',
    command: 'npx openapi-typescript gateway.v1.json -o gateway.ts --default-non-nullable=false',
    generate: withBin('openapi-typescript/bin/cli.js', (file, output) => [
      ...[file, '-o', `${output}.ts`, '--default-non-nullable=false'],
    ]),
    settings: [
      setting('openapi-fetch', 'path', PATH, ENCODED),
      setting('openapi-fetch', 'text', ['text'], 'It parses every response as JSON.'),
      setting('openapi-fetch', 'events', ['events'], 'It parses every response as JSON.'),
      setting('openapi-fetch', 'upload', ['upload'], `It sends every body as JSON. ${VERBATIM}`),
    ],
  },
  {
    name: '`@redocly/cli generate-client`',
    id: 'redocly',
    package: '@redocly/cli',
    command: 'npx @redocly/cli generate-client gateway.v1.json -o gateway.ts',
    generate: withBin('@redocly/cli/bin/cli.js', (file, output) => [
      ...['generate-client', file, '-o', `${output}.ts`],
    ]),
    settings: [
      setting('redocly', 'path', PATH, ENCODED),
      setting(
        'redocly',
        'events',
        ['events'],
        'A typed call reads the response to its end. This reads the events as they arrive.',
      ),
      setting('redocly', 'upload', ['upload'], `It takes a form as \`FormData\`. ${VERBATIM}`),
    ],
  },
  {
    name: '`orval`',
    id: 'orval',
    package: 'orval',
    packages: ['orval@8.38.0'],
    command: 'npx orval --config orval.config.mjs',
    config: `export default {
  gateway: {
    input: 'gateway.v1.json',
    output: {
      target: 'gateway.ts',
      client: 'fetch',
      override: { mutator: { path: './fetch.ts', name: 'send' } }, // see below
    },
  },
};`,
    async generate(documents, folder) {
      const mutator = { path: join(ROOT, 'clients/orval-fetch.ts'), name: 'send' };
      const settings = {
        plain: { baseUrl: { runtime: '(globalThis as any).apiBase' } },
        configured: { override: { mutator } },
      };
      const tools = join(ROOT, '.tools/orval');
      const file = join(tools, 'orval.config.mjs');
      for (const [part, setting] of Object.entries(settings)) {
        const projects = Object.entries(documents).map(([name, target]) => {
          const output = { target: join(folder, part, `${name}.ts`), client: 'fetch', ...setting };
          return [name, { input: { target }, output }];
        });
        writeFileSync(file, `export default ${JSON.stringify(Object.fromEntries(projects))}`);
        await run([join(tools, 'node_modules/.bin/orval'), '--config', file], tools);
      }
    },
    settings: [
      setting(
        'orval-fetch',
        'fetch',
        ['text', 'events'],
        'It parses every response as JSON. This is its `mutator`.',
      ),
      setting(
        'orval',
        'upload',
        ['upload'],
        `${VERBATIM} It needs the \`mutator\` above; without it, the code for XML errors does not compile in strict mode.`,
      ),
    ],
  },
  {
    name: '`kubb` with `@kubb/plugin-client`',
    id: 'kubb',
    package: '@kubb/plugin-client',
    packages: ['cli', 'core', 'plugin-client', 'plugin-oas', 'plugin-ts'].map(
      (name) => `@kubb/${name}@4.39.3`,
    ),
    command: 'npx kubb generate --config kubb.config.mjs',
    config: `export default defineConfig({
  input: { path: 'gateway.v1.json' },
  output: { path: 'gateway' },
  plugins: [
    pluginOas({ generators: [] }),
    pluginTs({ output: { path: 'types' } }),
    pluginClient({ output: { path: 'client' }, client: 'fetch', bundle: true }),
  ],
});`,
    async generate(documents, folder) {
      const tools = join(ROOT, '.tools/kubb');
      copyFileSync(join(ROOT, 'clients/kubb.config.mjs'), join(tools, 'kubb.config.mjs'));
      const env = { KUBB_DOCUMENTS: JSON.stringify(documents), KUBB_FOLDER: folder };
      const kubb = join(tools, 'node_modules/.bin/kubb');
      await run([kubb, 'generate', '--config', 'kubb.config.mjs'], tools, env);
    },
    settings: [
      setting(
        'kubb',
        'client',
        [
          ...(['post', 'getUploadMetaData', 'batchGetTempUrls', 'batchCopyFile'] as const),
          ...(['batchDelete', 'text', 'events'] as const),
        ],
        'It sends JSON as `text/plain`, and parses every response as JSON.',
      ),
      setting('kubb', 'upload', ['upload'], VERBATIM),
    ],
  },
];

function setting(file: string, region: string, calls: readonly CallId[], why: string): Setting {
  return { file, region, calls, why };
}

/** Runs the program of an installed package for each document. */
function withBin(
  bin: string,
  toArgs: (file: string, output: string) => string[],
): Generator['generate'] {
  return async (documents, folder) => {
    const runs = DOCUMENTS.map((name) => runBin(bin, toArgs(documents[name], join(folder, name))));
    await Promise.all(runs);
  };
}

/** Generates a tool's clients from the published documents, or from the given ones. */
export async function generateClients(
  generator: Generator,
  documents: Readonly<Record<DocumentName, string>> = {
    'gateway.v1': toFile('gateway.v1'),
    'storage.v2': toFile('storage.v2'),
  },
): Promise<void> {
  const folder = join(ROOT, 'generated', generator.id);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  if (generator.packages) await installTool(generator.id, generator.packages);
  await generator.generate(documents, folder);
}

/** Installs a large tool in its own folder, once for each version. */
export async function installTool(id: string, packages: readonly string[]): Promise<string> {
  const folder = join(ROOT, '.tools', id);
  const stamp = join(folder, 'installed.txt');
  const wanted = packages.join('\n');
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) return folder;
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), '{ "private": true, "type": "module" }');
  const options = ['--no-audit', '--no-fund', '--ignore-scripts'];
  await run(['npm', 'install', ...options, ...packages], folder);
  writeFileSync(stamp, wanted);
  return folder;
}

/** Finds the `package.json` of an installed package. */
export function findManifest(name: string, from = import.meta.url): string {
  const found = findPackageJSON(name, from);
  if (found === undefined) throw new Error(`${name} is not installed.`);
  return found;
}

/** Runs a file of an installed package, such as `dredd/bin/dredd`. */
function runBin(bin: string, args: readonly string[]): Promise<void> {
  const [, name = '', file = ''] = /^((?:@[^/]+\/)?[^/]+)\/(.+)$/.exec(bin) ?? [];
  return run([process.execPath, join(findManifest(name), '..', file), ...args]);
}

async function run(command: readonly string[], folder = ROOT, more = {}): Promise<void> {
  await runCommand({ folder, env: { ...ENV, REDOCLY_TELEMETRY: 'off', ...more } }, command);
}

/**
 * Type-checks the calls together with the clients that the tools generated. Rejects with the compiler's
 * errors.
 */
export async function checkTypes(generators: readonly Generator[]): Promise<void> {
  const project = join(ROOT, 'generated/tsconfig.json');
  const compilerOptions = {
    ...{ noEmit: true, strict: true, skipLibCheck: true, types: ['node'] },
    ...{ target: 'es2023', lib: ['esnext', 'dom', 'dom.iterable', 'dom.asynciterable'] },
    ...{ module: 'esnext', moduleResolution: 'bundler', allowImportingTsExtensions: true },
    customConditions: ['berth-source'],
  };
  const files = generators.map(({ id }) => `../clients/${id}.ts`);
  writeFileSync(project, JSON.stringify({ compilerOptions, files }));
  await runBin('typescript/bin/tsc', ['-p', project]);
}
