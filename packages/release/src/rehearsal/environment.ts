import { mkdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { delimiter, dirname, join } from 'node:path';

const { resolve } = createRequire(import.meta.resolve('@berth/runtimes/package.json'));

/** Folders of the Nodes that tests bring, by their major version: 20 and 22 are the oldest that a package promises. */
export const NODES = {
  20: join(dirname(resolve('node20/package.json')), 'bin'),
  22: join(dirname(resolve('node22/package.json')), 'bin'),
  24: dirname(process.execPath),
  26: join(dirname(resolve('node26/package.json')), 'bin'),
} as const;

export type NodeMajor = keyof typeof NODES;

/** The machine's own tools, npm among them, without those of this repository. */
export const MACHINE_PATH = (process.env.PATH ?? '')
  .split(delimiter)
  .filter((path) => !path.endsWith(join('node_modules', '.bin')))
  .join(delimiter);

/**
 * The environment of somebody who has just been given a machine: an empty home, one Node, the machine's
 * npm, and this registry.
 *
 * @param home created if it does not exist
 */
export function toEnvironment(
  home: string,
  node: NodeMajor,
  registry: string,
): Record<string, string> {
  mkdirSync(home, { recursive: true });
  return {
    HOME: home,
    PATH: [NODES[node], MACHINE_PATH].join(delimiter),
    npm_config_registry: registry,
    // An `engines` of a dependency that does not fit ends the installation.
    npm_config_engine_strict: 'true',
    npm_config_audit: 'false',
    npm_config_fund: 'false',
    npm_config_update_notifier: 'false',
  };
}
