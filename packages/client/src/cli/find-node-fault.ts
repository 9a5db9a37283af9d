import { readPackageInfo } from './package-info.ts';

/**
 * One sentence where a Node version is older than `engines` asks for.
 *
 * @param version for example `20.19.0`
 */
export function findNodeFault(version: string): string | undefined {
  const needed = readPackageInfo().engines.node.replace('>=', '');
  if (Number.parseInt(version, 10) >= Number.parseInt(needed, 10)) return undefined;
  return `berth needs Node ${needed} or newer, and this is Node ${version}.`;
}
