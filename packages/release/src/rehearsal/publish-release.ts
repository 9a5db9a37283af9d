import { rmSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { copyCheckout } from '@berth/scripts/checkout';
import { listPublished } from '../list-published.ts';
import { MACHINE_PATH } from './environment.ts';
import { runCommand } from './run-command.ts';
import type { Registry } from './start-registry.ts';

export interface Release {
  /** The copy of the checkout, with the versions of the release. */
  folder: string;
  /** Names and versions of what was published. */
  versions: ReadonlyMap<string, string>;
  /** By name, the command of `npm run pack` that installs the package from tarballs. */
  installs: ReadonlyMap<string, string>;
}

/**
 * Makes a release of a copy of this checkout, step by step as `release:version` and `release:publish` do,
 * and publishes it to a registry of the rehearsal.
 *
 * @param home an empty folder: no credentials, no settings
 * @param tarballs a folder for the same packages as `npm run pack` writes them
 * @param onStep hears the name of each step as it ends
 */
export async function publishRelease(
  { url }: Registry,
  home: string,
  tarballs: string,
  onStep: (name: string) => void,
): Promise<Release> {
  const folder = copyCheckout();
  const env = {
    HOME: home,
    PATH: [join(folder, 'node_modules/.bin'), MACHINE_PATH].join(delimiter),
    TURBO_CACHE_DIR: join(folder, '.turbo/cache'),
    TURBO_TELEMETRY_DISABLED: '1',
    CI: '1',
  };
  const run = async (step: string, command: readonly string[], path = '.') => {
    const output = await runCommand({ folder: join(folder, path), env }, command);
    onStep(step);
    return output;
  };
  try {
    // Without pending changesets this does nothing, and what was released last is rehearsed again.
    await run('changeset version', ['changeset', 'version']);
    const published = listPublished(folder).map(({ manifest }) => manifest);
    const filters = published.flatMap(({ name }) => ['--filter', name]);
    await run('build', ['turbo', 'run', 'generate', 'build', ...filters]);
    await run('keep the released contract', ['node', 'scripts/release.ts'], 'spec');
    await run('check the versions', ['node', 'scripts/check-version.ts'], 'spec');

    // Not by `npm run`, which would install first what the new versions are.
    const script = 'packages/release/scripts/pack.ts';
    const printed = await run('pack', ['node', script, tarballs]);
    const installs = [...printed.matchAll(/^# (\S+)\n(npm install .+)$/gm)];

    const settings = `registry=${url}\n${url.replace('http:', '')}:_authToken=none\n`;
    writeFileSync(join(folder, '.npmrc'), settings);
    const registry = await runCommand({ folder, env }, ['pnpm', 'config', 'get', 'registry']);
    if (registry.trim() !== url) throw new Error(`pnpm would publish to ${registry}`);
    await run('publish', ['changeset', 'publish', '--no-git-tag']);
    return {
      folder,
      versions: new Map(published.map(({ name, version }) => [name, version])),
      installs: new Map(installs.map(([, name = '', command = '']) => [name, command])),
    };
  } catch (error) {
    rmSync(folder, { recursive: true });
    throw error;
  }
}
