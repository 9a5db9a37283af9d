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

export const NODE_20 = join(dirname(resolve('node20/package.json')), 'bin/node');
/** The compilers that check the types. */
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
  const installed = await install('client');
  // Built from the current code; an earlier build stays in place.
  const dist = join(installed, 'dist');
  await rm(dist, { recursive: true, force: true });
  // `typecheck` takes care of types.
  const source = ['--noCheck', '--customConditions', 'berth-source'];
  await run('tsc', ['-p', 'tsconfig.build.json', '--outDir', dist, ...source], { cwd: ROOT });

  const types = ['@types/react', '@types/react-dom'];
  for (const name of types) await link(name, await realpath(join(ROOT, 'node_modules', name)));
  await link('@types/node', await realpath(join(ROOT, '../../node_modules/@types/node')));
  await writeFile(join(folder, 'package.json'), '{ "type": "module" }');

  /** Unpacks a package of this repository, and links what it depends on. */
  async function install(name: string): Promise<string> {
    const source = join(ROOT, '..', name);
    const target = join(folder, 'node_modules/@berth', name);
    await mkdir(target, { recursive: true });
    await run('pnpm', ['pack', '--pack-destination', target], { cwd: source });
    const [tarball = ''] = await readdir(target);
    await run('tar', ['-xzf', tarball, '--strip-components=1'], { cwd: target });
    await rm(join(target, tarball));
    const manifest = JSON.parse(await readFile(join(source, 'package.json'), 'utf8'));
    const { dependencies, optionalDependencies, peerDependencies } = manifest;
    const needed = { ...dependencies, ...optionalDependencies, ...peerDependencies };
    for (const each of Object.keys(needed)) {
      const place = join(source, 'node_modules', each);
      if (existsSync(place)) await link(each, await realpath(place));
    }
    return target;
  }

  async function link(name: string, target: string) {
    const place = join(folder, 'node_modules', name);
    await mkdir(dirname(place), { recursive: true });
    if (!existsSync(place)) await symlink(target, place, 'dir');
  }
  return {
    folder,
    /** Folder of the unpacked package. */
    installed,
    /** Installs another package, as it was built last. */
    install,
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
