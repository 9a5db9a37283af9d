import type { RouteTable } from '../runtime/index.ts';

const SEGMENT = '{envId}';

/**
 * Makes a reader of the environment in a raw path; every operation has it in the same place. Segments
 * are counted and not characters, for any of them may come percent-encoded.
 */
export function envIdOf({ routes }: RouteTable): (rawPath: string) => string {
  const at = routes[0]?.path.split('/').indexOf(SEGMENT) ?? 0;
  return (rawPath) => {
    let start = 0;
    for (let count = 0; count < at; count += 1) start = rawPath.indexOf('/', start) + 1;
    const end = rawPath.indexOf('/', start);
    const envId = rawPath.slice(start, end < 0 ? undefined : end);
    return envId.includes('%') ? decodeURIComponent(envId) : envId;
  };
}
