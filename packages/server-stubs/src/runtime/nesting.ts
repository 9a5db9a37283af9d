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

class Branch {
  readonly members = new Map<string, Branch | unknown[]>();
}

/**
 * Numbers and empty brackets create lists, and so does a name with several values. `undefined` if a name has
 * both a value and members, or too many steps.
 */
export function nest(fields: Iterable<Field>): NullObject | undefined {
  const root = new Branch();
  for (const [name, value] of fields) {
    const steps = toSteps(name) ?? [name];
    if (steps.length > MAX_DEPTH || !add(root, steps, value)) return undefined;
  }
  const object = createNullObject();
  for (const [name, member] of root.members) object[name] = toValue(member);
  return object;
}

function add(root: Branch, steps: readonly string[], value: unknown): boolean {
  let branch = root;
  const last = steps.length - 1;
  for (const [index, step] of steps.entries()) {
    // Empty brackets append to a list.
    const key = step === '' && index > 0 && index < last ? `${branch.members.size}` : step;
    const known = branch.members.get(key);
    if (index === last) {
      if (known instanceof Branch) return false;
      if (known === undefined) branch.members.set(key, [value]);
      else known.push(value);
    } else if (known === undefined) {
      const next = new Branch();
      branch.members.set(key, next);
      branch = next;
    } else if (known instanceof Branch) branch = known;
    else return false;
  }
  return true;
}

function toValue(member: Branch | unknown[]): unknown {
  if (!(member instanceof Branch)) return member.length === 1 ? member[0] : member;
  const entries = [...member.members];
  if (entries.every(([name]) => /^\d{0,9}$/.test(name))) {
    entries.sort(([a], [b]) => Number(a === '') - Number(b === '') || Number(a) - Number(b));
    return entries.flatMap(([name, each]) =>
      name === '' && !(each instanceof Branch) ? each : [toValue(each)],
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
