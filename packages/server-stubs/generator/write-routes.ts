import type { RouteTable, Validator } from '../src/runtime/route-table.ts';
import { toKey, toLiteral } from './names.ts';

const WIDTH = 100;

/** Stands for a validator of generated code: its `expression` is written. */
export type WrittenValidator = Validator & { readonly expression: string };

/** @param table with a `WrittenValidator` for each validator */
export function writeRoutes(table: RouteTable, runtime: string): string {
  const source = toSource(table);
  const imports = ['requests', 'responses']
    .filter((name) => source.includes(`: ${name}.`))
    .map((name) => `import * as ${name} from './${name.slice(0, -1)}-validators.gen.ts';`);
  return [
    `import type { RouteTable } from '${runtime}';`,
    ...imports,
    '',
    '/** The route table of the document. */',
    `export const routes: RouteTable = ${source};`,
  ].join('\n');
}

/** On one line if it fits. Omits properties that are `undefined`. */
function toSource(value: unknown, depth = 0): string {
  if (typeof value === 'function') return (value as WrittenValidator).expression;
  if (typeof value !== 'object' || value === null) return toLiteral(value);
  const [open, close] = Array.isArray(value) ? '[]' : '{}';
  const lines = Array.isArray(value)
    ? value.map((each) => toSource(each, depth + 1))
    : Object.entries(value)
        .filter(([, each]) => each !== undefined)
        .map(([key, each]) => toMember(key, each, toSource(each, depth + 1)));
  if (lines.length === 0) return `${open}${close}`;
  const space = Array.isArray(value) ? '' : ' ';
  const line = `${open}${space}${lines.join(', ')}${space}${close}`;
  if (!line.includes('\n') && line.length + 2 * depth < WIDTH) return line;
  const inner = '  '.repeat(depth + 1);
  return `${open}\n${lines.map((each) => `${inner}${each},\n`).join('')}${'  '.repeat(depth)}${close}`;
}

function toMember(key: string, value: unknown, source: string): string {
  // `__proto__: …` would set the prototype.
  if (key === '__proto__') return `['__proto__']: ${source}`;
  // In TypeScript, a record inherits the members of every object, such as the function `constructor`.
  const isInherited = key in Object.prototype && typeof value === 'object' && value !== null;
  return `${toKey(key)}: ${source}${isInherited ? ' as const' : ''}`;
}
