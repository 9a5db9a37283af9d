import { execFile } from 'node:child_process';
import { mkdir, readFile, realpath, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { rolldown } from 'rolldown';

const run = promisify(execFile);
const PACKAGE = join(import.meta.dirname, '../../..');
const ENTRIES = join(import.meta.dirname, '../entries');
const CLIENT = '@berth/client';
/** What the suite itself provides. */
const TOOLS = ['undici7', 'ws'];

/** Export conditions for bundling a Worker, as wrangler sets them, and those of any bundler. */
const WORKER_CONDITIONS = ['workerd', 'worker', 'browser', 'import', 'module', 'default'];

/** The suite's files, ready to run. */
export interface Project {
  /** Program for Node, Deno and Bun, with the client as a package next to it. */
  readonly program: string;
  /** Script for a page, including the client. */
  readonly page: string;
  /** Module for a Worker, including the client. */
  readonly worker: string;
}

/**
 * Creates a project in an empty folder, with the published client in `node_modules`, so that each
 * platform selects the client's files by its own export conditions, and with the suite without types.
 */
export async function buildProject(folder: string): Promise<Project> {
  const modules = join(folder, 'node_modules');
  const client = join(modules, CLIENT);
  await mkdir(client, { recursive: true });
  const manifest = JSON.parse(await readFile(join(PACKAGE, 'package.json'), 'utf8'));
  const { imports, exports } = manifest.publishConfig;
  await writeFile(join(client, 'package.json'), JSON.stringify({ ...manifest, imports, exports }));
  await writeFile(join(folder, 'package.json'), '{ "type": "module" }');
  for (const name of [...TOOLS, 'openapi-fetch']) {
    await symlink(await realpath(join(PACKAGE, 'node_modules', name)), join(modules, name), 'dir');
  }
  // `typecheck` takes care of types.
  const dist = join(client, 'dist');
  await run('tsc', ['-p', 'tsconfig.build.json', '--noCheck', '--outDir', dist], { cwd: PACKAGE });
  const program = join(folder, 'program.js');
  const page = join(folder, 'page.js');
  const worker = join(folder, 'worker.js');
  await bundle('process.ts', program, 'node', [CLIENT, ...TOOLS]);
  await bundle('page.ts', page, 'browser', []);
  await bundle('worker.ts', worker, 'browser', [], WORKER_CONDITIONS);
  return { program, page, worker };

  async function bundle(
    entry: string,
    file: string,
    platform: 'node' | 'browser',
    external: string[],
    conditionNames?: string[],
  ) {
    const build = await rolldown({
      input: join(ENTRIES, entry),
      platform,
      external,
      resolve: { ...(conditionNames && { conditionNames }) },
      plugins: [
        {
          name: 'installed',
          // Resolved as if the suite were in the folder.
          resolveId(id) {
            return id === CLIENT ? this.resolve(id, join(folder, entry)) : null;
          },
        },
      ],
    });
    await build.write({ file, format: 'esm', codeSplitting: false });
    await build.close();
  }
}
