import { mkdirSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { delimiter, dirname, join } from 'node:path';
import type { Registry } from './start-registry.ts';

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

const PROXIES = Object.entries(process.env).filter(([name]) => /_proxy$/i.test(name));

/**
 * The environment of somebody who has just been given a machine: a home with nothing but these registries, one
 * Node, the machine's npm.
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
    // An `engines` of a dependency that does not fit ends the installation.
    npm_config_engine_strict: 'true',
    npm_config_audit: 'false',
    npm_config_fund: 'false',
    npm_config_update_notifier: 'false',
  };
}
