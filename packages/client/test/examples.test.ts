import { execFile } from 'node:child_process';
import { glob, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import * as client from '@berth/client';
import * as reactQuery from '@berth/client/react-query';
import { expect, it, onTestFinished } from 'vitest';

const ROOT = join(import.meta.dirname, '..');
const CACHE = join(ROOT, 'node_modules/.cache');
const TSC = join(ROOT, '../../node_modules/typescript/bin/tsc');

/** The example in a documentation comment. */
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
}
`;
const UNDICI = "declare module 'undici' { export { EnvHttpProxyAgent, fetch } from 'undici7'; }";

async function readExamples(): Promise<string[]> {
  const examples: string[] = [];
  for await (const file of glob('*.ts', { cwd: join(ROOT, 'src') })) {
    const source = await readFile(join(ROOT, 'src', file), 'utf8');
    for (const [, lines = ''] of source.matchAll(EXAMPLE)) {
      examples.push(lines.replace(/^ *\* ?/gm, ''));
    }
  }
  return examples;
}

/** Returns a module in which an example is the body of a function, so that it may return and define anything. */
function toModule(code: string): string {
  return [
    ...(code.match(/^import .*$/gm) ?? []),
    `import { type FetchLike, ${Object.keys(client)} } from '@berth/client';`,
    `import { ${Object.keys(reactQuery)} } from '@berth/client/react-query';`,
    "import { useQuery } from '@tanstack/react-query';",
    'export async function example() {',
    code.replace(/^import .*\n/gm, ''),
    'return;',
    '}',
  ].join('\n');
}

it('each exported value is in an example, and all examples compile', async () => {
  const examples = await readExamples();
  // The specification defines the other one.
  const names = Object.keys({ ...client, ...reactQuery }).filter(
    (name) => name !== 'toWireProfile',
  );
  expect(names.filter((name) => !examples.join().includes(name))).toEqual([]);

  await mkdir(CACHE, { recursive: true });
  const folder = await mkdtemp(join(CACHE, 'examples-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  await writeFile(join(folder, 'prelude.d.ts'), PRELUDE);
  await writeFile(join(folder, 'undici.d.ts'), UNDICI);
  for (const [index, example] of examples.entries()) {
    await writeFile(join(folder, `${index}.tsx`), toModule(example));
  }
  const config = {
    extends: join(ROOT, 'tsconfig.json'),
    compilerOptions: {
      noUnusedLocals: false,
      noImplicitReturns: false,
      rewriteRelativeImportExtensions: false,
    },
    include: ['*.ts', '*.tsx'],
  };
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(config));
  const args = [TSC, '--noEmit', '--pretty', 'false', '-p', folder];
  const { stdout } = await promisify(execFile)(process.execPath, args).catch((error) => error);
  // The package itself is checked by `npm run typecheck`.
  expect(stdout.split('\n').filter((line: string) => line.includes('examples-'))).toEqual([]);
});
