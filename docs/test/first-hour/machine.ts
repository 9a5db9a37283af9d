import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { toEnvironment } from '@berth/release/environment';
import { publishTarballs } from '@berth/release/publish';
import { startRegistry } from '@berth/release/registry';
import { unpackPublished } from '@berth/release/unpack';
import { Desk, listCommandLines, makeBench, makeCommands } from '@berth/snippets';

/** Where newcomers type: each desk is an empty folder with an empty home. */
export interface Machine {
  openDesk(name: string): Desk;
  close(): Promise<void>;
}

/**
 * A machine on which the tarballs are installed already, once for all desks. `npm install` and `npx` need no
 * network: they only check that the packages exist, and run them.
 */
export async function createInstalledMachine(): Promise<Machine> {
  const root = await mkdtemp(join(tmpdir(), 'berth-first-hour-'));
  const modules = join(root, 'node_modules');
  unpackPublished(modules);
  const { commands } = await makeBench(root, {
    modules: [join(import.meta.dirname, '../../node_modules')],
    commandLines: listCommandLines((name) => join(modules, name, 'package.json')),
  });
  return {
    openDesk: (name) => new Desk(join(root, 'desks', name), commands, REAL_HOSTS),
    close: () => remove(root),
  };
}

/**
 * A machine with the real npm, which installs our packages from a registry on loopback, and all others from the
 * usual one. Its desks share a cache.
 */
export async function createFreshMachine(): Promise<Machine> {
  const root = await mkdtemp(join(tmpdir(), 'berth-first-hour-'));
  const registry = await startRegistry(root);
  await publishTarballs(registry, join(root, 'publisher'));
  const { commands } = await makeCommands(root);
  return {
    openDesk(name) {
      const folder = join(root, 'desks', name);
      return new Desk(folder, commands, {
        ...toEnvironment(join(folder, 'home'), 24, registry),
        npm_config_cache: join(root, 'cache'),
        npm_config_offline: 'false',
        ...REAL_HOSTS,
      });
    },
    async close() {
      await registry.close();
      await remove(root);
    },
  };
}

/** No journey calls a placeholder host, except below MSW, which must see its name. */
const REAL_HOSTS = { PAGE_HOSTS: 'real' };

/** A process that was killed may still be writing. */
const remove = (root: string) => rm(root, { recursive: true, force: true, maxRetries: 10 });
