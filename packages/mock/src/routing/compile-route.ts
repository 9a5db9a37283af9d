import type { Operation } from '../contract/operations.ts';

/** A path template that can be matched against a raw path. */
export interface Route {
  template: string;
  operations: Operation[];
  /** The raw values of the parameters, or undefined where the path is another one. */
  match(path: string): Record<string, string> | undefined;
}

/**
 * Compiles one path of the contract. A parameter takes one raw segment; the one marked
 * `x-berth-greedy` takes all that follows, empty segments too. Nothing is decoded.
 *
 * @param slash the path may end in one more `/`: the template is the root of a greedy one, and
 *   D3 says "`/{name}/` equals `/{name}`"
 */
export function compileRoute(template: string, operations: Operation[], slash: boolean): Route {
  const greedy = operations[0]?.greedy;
  const source = template.split(/(\{[^}]+\})/).map((part) => {
    if (!part.startsWith('{')) return RegExp.escape(part);
    return part === `{${greedy}}` ? '(.+)' : '([^/]+)';
  });
  const pattern = new RegExp(`^${source.join('')}${slash ? '/?' : ''}$`, 's');
  const names = [...template.matchAll(/\{([^}]+)\}/g)].map(([, name]) => name as string);
  return {
    template,
    operations,
    match(path) {
      const values = pattern.exec(path)?.slice(1);
      return values && Object.fromEntries(names.map((name, index) => [name, values[index] ?? '']));
    },
  };
}
