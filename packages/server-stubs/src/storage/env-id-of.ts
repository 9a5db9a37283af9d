import type { RouteTable } from '../runtime/index.ts';

const SEGMENT = '{envId}';

/** Makes a reader of the environment in a raw path; every operation has it in the same place. */
export function envIdOf({ routes }: RouteTable): (rawPath: string) => string {
  const at = routes[0]?.path.split('/').indexOf(SEGMENT) ?? -1;
  return (rawPath) => decodeURIComponent(rawPath.split('/')[at] ?? '');
}
