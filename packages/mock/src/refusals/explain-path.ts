import { nearPaths } from '../routing/near-paths.ts';

/** A path that is none, and those that are near to it. */
export function explainPath(path: string, templates: readonly string[]): string {
  const shown = path.length > 100 ? `${path.slice(0, 100)}…` : path;
  const near = nearPaths(path, templates);
  const hint = near.length > 0 ? ` Near it: ${near.join(', ')}.` : '';
  return `${shown} is no path of this API.${hint}`;
}
