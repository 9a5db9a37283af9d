import type { RouteTable } from '../src/runtime/route-table.ts';
import { toKey, toLiteral } from './names.ts';
import type { WrittenValidator } from './schema-set.ts';

/** @param table with a `WrittenValidator` for each validator */
export function writeRoutes(table: RouteTable, runtime: string): string {
  const source = toSource(table);
  const imports = ['requests', 'responses']
    .filter((name) => source.includes(`: ${name}.`))
    .map((name) => `import * as ${name} from './${name.slice(0, -1)}-validators.gen.ts';\n`);
  // TypeScript refuses keys that are members of every object, such as `constructor`.
  return `// @ts-nocheck
import type { RouteTable } from '${runtime}';
${imports.join('')}
/** The route table of the document. */
export const routes: RouteTable = ${source};`;
}

function toSource(value: unknown, indent = ''): string {
  if (typeof value === 'function') return (value as WrittenValidator).expression;
  if (typeof value !== 'object' || value === null) return toLiteral(value);
  const [open, close] = Array.isArray(value) ? '[]' : '{}';
  const members = Object.entries(value).map(([name, each]) => {
    // `__proto__: …` would set the prototype.
    const key = name === '__proto__' ? "['__proto__']" : toKey(name);
    const source = toSource(each, `${indent}  `);
    return `${indent}  ${Array.isArray(value) ? source : `${key}: ${source}`},\n`;
  });
  return members.length === 0 ? `${open}${close}` : `${open}\n${members.join('')}${indent}${close}`;
}
