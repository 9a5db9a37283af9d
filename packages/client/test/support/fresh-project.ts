import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import {
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  realpath,
  rm,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';

const ROOT = join(import.meta.dirname, '../..');
const { resolve } = createRequire(import.meta.resolve('@berth/runtimes/package.json'));
const run = promisify(execFile);

/** The Node versions and compilers that tests run in a new project. */
export const NODES: Record<string, string> = {
  20: join(dirname(resolve('node20/package.json')), 'bin/node'),
  22: join(dirname(resolve('node22/package.json')), 'bin/node'),
  24: process.execPath,
};
export const COMPILERS: Record<string, string> = {
  5: resolve('typescript5/bin/tsc'),
  6: resolve('typescript6/bin/tsc'),
  7: join(ROOT, '../../node_modules/typescript/bin/tsc'),
};

/**
 * Creates an empty project with the files of this package that would be published. Its dependencies are
 * linked from this repository, so that no registry is needed.
 */
export async function createFreshProject() {
  const folder = await mkdtemp(join(tmpdir(), 'berth-client-'));
  const installed = join(folder, 'node_modules/@berth/client');
  await mkdir(installed, { recursive: true });
  await run('pnpm', ['pack', '--pack-destination', folder], { cwd: ROOT });
  const [tarball = ''] = (await readdir(folder)).filter((name) => name.endsWith('.tgz'));
  await run('tar', ['-xzf', join(folder, tarball), '-C', installed, '--strip-components=1']);
  // Built from the current code; an earlier build stays in place.
  const dist = join(installed, 'dist');
  await rm(dist, { recursive: true, force: true });
  // `typecheck` takes care of types.
  const source = ['--noCheck', '--customConditions', 'berth-source'];
  await run('tsc', ['-p', 'tsconfig.build.json', '--outDir', dist, ...source], { cwd: ROOT });

  const { dependencies, peerDependencies } = JSON.parse(
    await readFile(join(ROOT, 'package.json'), 'utf8'),
  );
  const types = ['@types/react', '@types/react-dom'];
  for (const name of [...Object.keys({ ...dependencies, ...peerDependencies }), ...types]) {
    const place = join(ROOT, 'node_modules', name);
    if (existsSync(place)) await link(name, await realpath(place));
  }
  await link('@types/node', await realpath(join(ROOT, '../../node_modules/@types/node')));
  await writeFile(join(folder, 'package.json'), '{ "type": "module" }');

  async function link(name: string, target: string) {
    const place = join(folder, 'node_modules', name);
    await mkdir(dirname(place), { recursive: true });
    await symlink(target, place, 'dir');
  }
  return {
    folder,
    /** Folder of the unpacked package. */
    installed,
    write: (name: string, text: string) => writeFile(join(folder, name), text),
    /** Runs a program in the project and returns its output, or throws it if the program fails. */
    async run(file: string, ...args: string[]): Promise<string> {
      try {
        return (await run(file, args, { cwd: folder })).stdout;
      } catch (error) {
        const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string };
        throw new Error(`${file} ${args.join(' ')}\n${stdout}${stderr}`, { cause: error });
      }
    },
    remove: () => rm(folder, { recursive: true }),
  };
}
