import { pick } from './random.ts';

type Path = readonly (string | number)[];

const OTHERS = [
  null,
  true,
  0,
  -1,
  1.5,
  1e21,
  '',
  'x',
  '2020-13-40',
  'https://a.example/ b',
  [],
  {},
] as const;

/** Copies a JSON value with one random change. */
export function mutate(value: unknown, random: () => number): unknown {
  const copy = structuredClone(value);
  const path = pick([[] as Path, ...pathsOf(copy)], random);
  const last = path.at(-1);
  if (last === undefined) return mutateHere(copy, random);
  const parent = path.slice(0, -1).reduce((node, key) => (node as never)[key], copy) as never;
  if (random() < 0.3 && !Array.isArray(parent)) delete parent[last];
  else (parent as Record<string | number, unknown>)[last] = mutateHere(parent[last], random);
  return copy;
}

function mutateHere(value: unknown, random: () => number): unknown {
  const change = random();
  if (change < 0.5) return structuredClone(pick(OTHERS, random));
  if (typeof value === 'string') return change < 0.75 ? `${value}!` : value.slice(0, -1);
  if (typeof value === 'number') return change < 0.75 ? -value - 1 : value + 0.5;
  if (typeof value === 'boolean') return String(value);
  if (Array.isArray(value)) return change < 0.75 ? [...value, ...value] : [...value, null];
  if (typeof value === 'object' && value !== null) return { ...value, unheardOf: 1 };
  return 'null';
}

function pathsOf(value: unknown, path: Path = []): Path[] {
  if (typeof value !== 'object' || value === null) return [];
  const keys = Array.isArray(value) ? [...value.keys()] : Object.keys(value);
  return keys.flatMap((key) => [[...path, key], ...pathsOf((value as never)[key], [...path, key])]);
}
