import { readOldestNode } from '../package-info.ts';

/**
 * One sentence where a Node version is older than `engines` asks for.
 *
 * @param version for example `24.18.0`
 */
export function findNodeFault(version: string): string | undefined {
  const needed = readOldestNode();
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const [neededMajor = 0, neededMinor = 0] = needed.split('.').map(Number);
  if (major > neededMajor || (major === neededMajor && minor >= neededMinor)) return undefined;
  return `berth-stubs needs Node ${needed} or newer, and this is Node ${version}.`;
}
