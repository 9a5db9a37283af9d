import { toKey, toLiteral } from '../names.ts';

/** Text that stands in source as it is. */
export class Code {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

const WIDTH = 100;

/**
 * A value as source text, on one line where it fits. Properties that are `undefined` are left out.
 *
 * @param depth how many steps the line is indented on which the text begins
 *
 * @example
 * toSource({ name: 'id', validate: new Code('requests.isId') }); // "{ name: 'id', validate: requests.isId }"
 */
export function toSource(value: unknown, depth = 0): string {
  if (value instanceof Code) return value.text;
  if (typeof value !== 'object' || value === null) return toLiteral(value);
  const [open, close] = Array.isArray(value) ? '[]' : '{}';
  const members = Array.isArray(value)
    ? value.map((each) => ({ key: undefined, each }))
    : Object.entries(value)
        .filter(([, each]) => each !== undefined)
        .map(([key, each]) => ({ key, each }));
  if (members.length === 0) return `${open}${close}`;
  const lines = members.map(({ key, each }) => toMember(key, each, depth + 1));
  const space = Array.isArray(value) ? '' : ' ';
  const line = `${open}${space}${lines.join(', ')}${space}${close}`;
  if (!line.includes('\n') && line.length + 2 * depth < WIDTH) return line;
  const inner = '  '.repeat(depth + 1);
  return `${open}\n${lines.map((each) => `${inner}${each},\n`).join('')}${'  '.repeat(depth)}${close}`;
}

function toMember(key: string | undefined, value: unknown, depth: number): string {
  const source = toSource(value, depth);
  if (key === undefined) return source;
  // `__proto__: …` would set the prototype.
  if (key === '__proto__') return `['__proto__']: ${source}`;
  // For TypeScript, a record has the members of every object: `constructor` is a function.
  const isInherited = key in Object.prototype && typeof value === 'object' && value !== null;
  return `${toKey(key)}: ${source}${isInherited ? ' as const' : ''}`;
}
