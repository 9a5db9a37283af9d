import { execFile } from 'node:child_process';
import { glob, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import * as client from '@berth/client';
import * as reactQuery from '@berth/client/react-query';
import { type OutputChunk, rolldown } from 'rolldown';
import { expect, it } from 'vitest';
import { newFolder } from './support/folders.ts';

const ROOT = join(import.meta.dirname, '..');
const SOURCE = join(ROOT, 'src');
/** This package can be imported from here. */
const CACHE = join(ROOT, 'node_modules/.cache');

/** `export { a, b as c }`, and `export function a`. */
const EXPORT =
  /^export (?:type )?(?:\{([^}]*)\}|(?:async function|function|interface|const)? *(\w+))/gm;

it.each([
  [
    'index.ts',
    `AnyBerthError BerthError CallOptions ConnectOptions CopyItem CopyListResult CopyOptions DeleteResult
    DocumentedService DownloadOptions EventsOptions FetchLike GatewayAuth GatewayClient GatewayClientOptions
    GatewayPaths PayloadOptions Progress RequestOptions RetryOptions Service ServiceEvent StandardSchema
    StorageClient StorageClientOptions StorageCredentials StoragePaths Tc3KeyPair TempUrlOptions TempUrlResult
    UploadData UploadOptions WireProfile bearer createGatewayClient createStorageClient isBerthError tc3
    tc3Storage toWireProfile unwrapEnvelope`,
  ],
  ['react-query.ts', 'Upload UploadVariables linkQuery linksQuery serviceQuery useUpload'],
])('%s exports these names and no others', async (file, names) => {
  const source = await readFile(join(SOURCE, file), 'utf8');
  const lists = [...source.matchAll(EXPORT)].map(([, list, name]) => list ?? name ?? '');
  const exported = lists.flatMap((list) => list.match(/\w+(?=\s*(,|$))/g) ?? []);
  expect(exported.sort()).toEqual(names.split(/\s+/));
});

const EXAMPLE = /\/\*\*(?:(?!\*\/).)*?@example\n((?:(?!\*\/|\n *\* @).)*)/gs;

/** What examples use without defining it. */
const PRELUDE = `
import type { QueryClient } from '@tanstack/react-query';
import type { GatewayAuth, GatewayClient, Service, StandardSchema, StorageClient, StorageCredentials } from '@berth/client';
declare global {
interface User { name: string }
interface Order { id: number }
interface paths {
  '/items/{id}': { get: { parameters: { path: { id: number } }; responses: { 200: { content: { 'application/json': Order } } } } };
}
class OpenAI {
  constructor(options: { baseURL: string; fetch: typeof fetch; apiKey: string; defaultHeaders: object; maxRetries: number });
}
const auth: GatewayAuth, gateway: GatewayClient, storage: StorageClient, credentials: StorageCredentials;
const users: Service, orders: Service, news: Service, chat: Service, reports: Service;
const UserSchema: StandardSchema<User>;
const baseUrl: string, fileID: string, fileIDs: string[], ids: string[], error: unknown;
const file: File, signal: AbortSignal;
const env: Record<'BERTH_TC3_SECRET_ID' | 'BERTH_TC3_SECRET_KEY', string>;
const queryClient: QueryClient;
function readAccessToken(): Promise<string>;
function currentTrace(): string;
function show(...values: unknown[]): void;
function showBar(loaded: number, total: number | undefined): void;
function save(fileID: string): void;
}`;

/** Returns a module in which an example is the body of a function, so that it may return and define anything. */
const toModule = (code: string) => `${(code.match(/^import .*$/gm) ?? []).join('\n')}
import { type FetchLike, ${Object.keys(client)} } from '@berth/client';
import { ${Object.keys(reactQuery)} } from '@berth/client/react-query';
import { useQuery } from '@tanstack/react-query';
export async function example() {
${code.replace(/^import .*\n/gm, '')}
return;
}`;

it('each exported value is in an example, and all examples compile', async () => {
  const examples: string[] = [];
  for await (const file of glob('*.ts', { cwd: SOURCE })) {
    const source = await readFile(join(SOURCE, file), 'utf8');
    for (const [, lines = ''] of source.matchAll(EXAMPLE)) {
      examples.push(lines.replace(/^ *\* ?/gm, ''));
    }
  }
  // The specification defines `toWireProfile`.
  const names = Object.keys({ ...client, ...reactQuery, toWireProfile: undefined });
  expect(names.filter((name) => !examples.join().includes(name))).toEqual(['toWireProfile']);

  const compilerOptions = {
    noUnusedLocals: false,
    noImplicitReturns: false,
    rewriteRelativeImportExtensions: false,
  };
  const config = { extends: join(ROOT, 'tsconfig.json'), compilerOptions, include: ['*'] };
  const modules = examples.map((example, index) => [`${index}.tsx`, toModule(example)] as const);
  const files = {
    ...Object.fromEntries(modules),
    'prelude.d.ts': PRELUDE,
    'undici.d.ts':
      "declare module 'undici' { export { EnvHttpProxyAgent, fetch } from 'undici7'; }",
    'tsconfig.json': JSON.stringify(config),
  };
  const folder = await newFolder(files, CACHE);
  const tsc = join(ROOT, '../../node_modules/typescript/bin/tsc');
  const args = [tsc, '--noEmit', '--pretty', 'false', '-p', folder];
  const { stdout } = await promisify(execFile)(process.execPath, args).catch((error) => error);
  // The package itself is checked by `npm run typecheck`.
  expect(stdout.split('\n').filter((line: string) => line.includes('.cache'))).toEqual([]);
});

/** Bundles a page that uses some values. Returns the gzipped bytes of what it loads at first, and of all its chunks. */
async function sizesOf(names: string) {
  // A page has no exports. With some, the bundler must put what chunks share into a chunk of its own.
  const code = `import { ${names} } from '@berth/client'; console.log(${names});`;
  const folder = await newFolder({ 'entry.js': code }, CACHE);
  const build = await rolldown({
    input: join(folder, 'entry.js'),
    platform: 'browser',
    resolve: { conditionNames: ['berth-source', 'import', 'default'] },
  });
  const { output } = await build.generate({ format: 'esm', minify: true });
  const chunks = output as OutputChunk[];
  const sum = (files: OutputChunk[]) => files.reduce((n, { code }) => n + gzipSync(code).length, 0);
  const [entry] = chunks;
  // Everything else is loaded on first use.
  expect(entry).toMatchObject({ isEntry: true, imports: [] });
  return { first: sum(chunks.slice(0, 1)), all: sum(chunks) };
}

// The bytes that a page loads before its first call, and with all that is loaded on first use (event streams,
// WebSockets, uploads and downloads), rounded up to the next 100, so that growth fails. openapi-fetch alone has 2,600.
it.each([
  ['the gateway', 'bearer, createGatewayClient', 8_400, 12_100],
  ['storage', 'createStorageClient', 8_600, 13_100],
  ['both', 'bearer, createGatewayClient, createStorageClient', 10_600, 18_700],
])('a bundle of %s, minified and compressed, has a maximum size', async (_, names, first, all) => {
  const sizes = await sizesOf(names);
  expect(sizes.first).toBeLessThanOrEqual(first);
  expect(sizes.all).toBeLessThanOrEqual(all);
});
