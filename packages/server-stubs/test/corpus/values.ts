import { isObject, type JsonObject } from '../../generator/json.ts';
import { createSchemaReader, propertiesOf } from '../../generator/subschemas.ts';
import { pick } from './random.ts';

type Random = () => number;

const TEXTS: Readonly<Record<string, string>> = {
  date: '2026-01-02',
  'date-time': '2026-01-02T03:04:05Z',
  email: 'a@b.example',
  uri: 'https://a.example/b',
  uuid: '7f3b1c7e-1df0-4d6e-8f5b-0f0c7a2f1f11',
  byte: 'YQ==',
};
const SCALARS = [null, true, false, 0, 1, -1, 1.5, 2 ** 31, '', 'a', 'ä𝒳', ...Object.values(TEXTS)];

/** A value that is often valid, or differs from one that is in one place. */
export function createValue(schema: unknown, root: JsonObject, random: Random): unknown {
  const value = sample(schema, root, random, 0);
  return random() < 0.5 ? value : mutate(value, random);
}

function sample(schema: unknown, root: JsonObject, random: Random, depth: number): unknown {
  if (typeof schema === 'boolean' || depth > 9) return pick(SCALARS, random);
  const below = (each: unknown) => sample(each, root, random, depth + 1);
  const parts = createSchemaReader(root).partsInAllOf(schema);
  for (const part of parts) {
    if ('const' in part) return part.const;
    if (Array.isArray(part.enum)) return pick(part.enum, random);
  }
  const choices = parts.flatMap(({ oneOf, anyOf }) => oneOf ?? anyOf ?? []) as unknown[];
  const chosen = choices.length > 0 ? below(pick(choices, random)) : undefined;
  const properties = propertiesOf(parts);
  const type = parts.map((part) => pick([part.type].flat(), random)).find((each) => each);
  if (type === 'object' || properties.size > 0) {
    const required = new Set(parts.flatMap((part) => part.required ?? []));
    const entries = [...properties]
      .filter(([name]) => required.has(name) || (depth < 4 && random() < 0.5))
      .map(([name, each]) => [name, below(each)]);
    return { ...(isObject(chosen) ? chosen : {}), ...Object.fromEntries(entries) };
  }
  if (chosen !== undefined) return chosen;
  const [first = {}] = parts.filter((part) => 'type' in part);
  if (type === 'array') {
    const length = Math.max(Number(first.minItems ?? 0), depth < 4 ? Math.floor(random() * 3) : 0);
    return Array.from({ length: Math.min(length, 20) }, () => below(first.items ?? true));
  }
  if (type === 'integer') return Number(first.minimum ?? 0) + Math.floor(random() * 5);
  if (type === 'number') return Number(first.minimum ?? 0) + Math.floor(random() * 500) / 100;
  if (type === 'string') {
    const length = Math.min(Number(first.minLength ?? 1), 200);
    return TEXTS[String(first.format)] ?? 'a'.repeat(length);
  }
  return type === 'boolean' ? random() < 0.5 : pick(SCALARS, random);
}

function mutate(value: unknown, random: Random): unknown {
  const keys = typeof value === 'object' && value !== null ? Object.keys(value) : [];
  const key = pick(keys, random);
  if (key === undefined || random() < 0.2) return pick([...SCALARS, [], {}, [value]], random);
  if (Array.isArray(value)) return value.with(Number(key), mutate(value[Number(key)], random));
  const { [key]: changed, ...others } = value as Record<string, unknown>;
  const action = random();
  if (action < 0.3) return others;
  if (action < 0.4) return { ...others, [key]: changed, [`${key}2`]: changed };
  return { ...others, [key]: mutate(changed, random) };
}
