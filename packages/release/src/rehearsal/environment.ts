import { mkdirSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { delimiter, dirname, join } from 'node:path';
import type { Registry } from './start-registry.ts';

const { resolve } = createRequire(import.meta.resolve('@berth/runtimes/package.json'));

/**
 * Folders of the Node versions that the tests install, by major version. 20 and 22 are the oldest versions
 * that the packages support.
 */
export const NODES = {
  20: join(dirname(resolve('node20/package.json')), 'bin'),
  22: join(dirname(resolve('node22/package.json')), 'bin'),
  24: dirname(process.execPath),
  26: join(dirname(resolve('node26/package.json')), 'bin'),
} as const;

export type NodeMajor = keyof typeof NODES;

/** The `PATH` of the machine's own tools, including npm but not the tools of this repository. */
export const MACHINE_PATH = (process.env.PATH ?? '')
  .split(delimiter)
  .filter((path) => !path.endsWith(join('node_modules', '.bin')))
  .join(delimiter);

const PROXIES = Object.entries(process.env).filter(([name]) => /_proxy$/i.test(name));

/**
 * Returns the environment variables for a new machine: a home folder that configures only these registries,
 * one version of Node, and the machine's npm.
 *
 * @param home created if it does not exist
 */
export function toEnvironment(
  home: string,
  node: NodeMajor,
  { url, upstream, certificates }: Registry,
): Record<string, string> {
  mkdirSync(home, { recursive: true });
  writeFileSync(join(home, '.npmrc'), `registry=${upstream}\n@berth:registry=${url}\n`);
  return {
    ...Object.fromEntries(PROXIES),
    HOME: home,
    PATH: [NODES[node], MACHINE_PATH].join(delimiter),
    NODE_EXTRA_CA_CERTS: certificates,
    // Makes the installation fail if the `engines` of a dependency do not match.
    npm_config_engine_strict: 'true',
    npm_config_audit: 'false',
    npm_config_fund: 'false',
    npm_config_update_notifier: 'false',
  };
}
