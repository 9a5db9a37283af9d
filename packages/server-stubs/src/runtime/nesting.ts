import { createNullObject, type NullObject } from './decoding.ts';
import { parseJson } from './parse-json.ts';

const MAX_DEPTH = 32;
const BRACKETED = /^([^[\]]+)((?:\[[^[\]]*\])+)$/;

export type Field = readonly [name: string, value: unknown];

/** `a[b][]` becomes `['a', 'b', '']`; `undefined` for a name without brackets. */
export function toSteps(name: string): readonly string[] | undefined {
  const [, head, brackets] = BRACKETED.exec(name) ?? [];
  if (head === undefined || brackets === undefined) return undefined;
  return [head, ...brackets.slice(1, -1).split('][')];
}

interface Branch extends Map<string, Branch | unknown[]> {}

/**
 * Numbers and empty brackets create lists, and so does a name with several values. `undefined` if a name has
 * both a value and members, or too many steps.
 */
export function nest(fields: Iterable<Field>): NullObject | undefined {
  const root: Branch = new Map();
  for (const [name, value] of fields) {
    const steps = toSteps(name) ?? [name];
    if (steps.length > MAX_DEPTH || !add(root, steps, value)) return undefined;
  }
  const object = createNullObject();
  for (const [name, member] of root) object[name] = toValue(member);
  return object;
}

function add(root: Branch, steps: readonly string[], value: unknown): boolean {
  let branch = root;
  const last = steps.length - 1;
  for (const [index, step] of steps.entries()) {
    // Empty brackets append to a list.
    const key = step === '' && index > 0 && index < last ? `${branch.size}` : step;
    const member = branch.get(key) ?? (index === last ? [] : new Map());
    branch.set(key, member);
    if (member instanceof Map !== index < last) return false;
    if (member instanceof Map) branch = member;
    else member.push(value);
  }
  return true;
}

function toValue(member: Branch | unknown[]): unknown {
  if (!(member instanceof Map)) return member.length === 1 ? member[0] : member;
  const entries = [...member];
  if (entries.every(([name]) => /^\d{0,9}$/.test(name))) {
    entries.sort(([a], [b]) => Number(a === '') - Number(b === '') || Number(a) - Number(b));
    return entries.flatMap(([name, each]) =>
      name === '' && !(each instanceof Map) ? each : [toValue(each)],
    );
  }
  const object = createNullObject();
  for (const [name, each] of entries) object[name] = toValue(each);
  return object;
}

/** Any text but a JSON object or list is returned unchanged. */
export function fromJson(text: string, maxDepth = MAX_DEPTH): unknown {
  if (!/^\s*[[{]/.test(text)) return text;
  const { problem, value } = parseJson(text, maxDepth);
  return problem === undefined ? value : text;
}
