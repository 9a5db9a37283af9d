import { closest, distance } from 'fastest-levenshtein';
import type { z } from 'zod';
import type { ConfigFault } from './config.ts';
import { DRIVERS, toJsonSchema } from './schema.ts';

const NAMES: Readonly<Record<string, string>> = {
  int: 'an integer',
  number: 'a number',
  string: 'a string',
  boolean: 'true or false',
  array: 'a list',
  object: 'a group of settings',
  record: 'a group of settings',
};

type Issue = z.core.$ZodIssue;

type Path = (string | number)[];

/** Converts zod's issues to sentences that name the setting and the fix. */
export function toFaults(issues: readonly Issue[], at: Path = []): ConfigFault[] {
  return issues.flatMap((issue) => {
    const path = [...at, ...(issue.path as Path)];
    switch (issue.code) {
      case 'unrecognized_keys':
        return issue.keys.map((key) => ({ path: [...path, key], problem: unknown(path, key) }));
      case 'invalid_union':
        return fromUnion(issue, path);
      case 'invalid_key':
        return toFaults(issue.issues, path).map((fault) => ({ ...fault, path }));
      default:
        return [{ path, problem: problemOf(issue) }];
    }
  });
}

function unknown(path: Path, key: string): string {
  const known = knownSettings(path);
  if (known.length === 0) return 'is not a setting: remove it';
  const near = closest(key, known);
  return distance(key, near) <= Math.max(2, key.length / 3)
    ? `is not a setting: did you mean ${near}`
    : `is not a setting; the settings here are: ${known.join(', ')}`;
}

interface Schema {
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: Schema | boolean;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
}

function knownSettings(path: readonly (string | number)[]): string[] {
  let places: Schema[] = branchesOf(toJsonSchema() as Schema);
  for (const step of path) {
    places = places.flatMap((schema) => {
      const next = typeof step === 'number' ? schema.items : childOf(schema, step);
      return next === undefined ? [] : branchesOf(next);
    });
  }
  return [...new Set(places.flatMap(({ properties }) => Object.keys(properties ?? {})))];
}

function branchesOf(schema: Schema): Schema[] {
  const inner = [...(schema.anyOf ?? []), ...(schema.oneOf ?? []), ...(schema.allOf ?? [])];
  return [schema, ...inner.flatMap(branchesOf)];
}

function childOf({ properties, additionalProperties }: Schema, name: string): Schema | undefined {
  if (properties !== undefined && Object.hasOwn(properties, name)) return properties[name];
  return typeof additionalProperties === 'object' ? additionalProperties : undefined;
}

/** The branch that matched deepest is most likely the intended one. */
function fromUnion(issue: Extract<Issue, { code: 'invalid_union' }>, path: Path): ConfigFault[] {
  const known = issue.errors.flat().filter(({ code }) => code !== 'invalid_type');
  if (issue.errors.length === 0) return [{ path, problem: `must be one of ${DRIVERS.join(', ')}` }];
  const deepest = issue.errors.find((branch) => branch.some((inner) => inner.path.length > 0));
  if (deepest !== undefined) return toFaults(deepest, path);
  const more = known.filter(({ code }) => code !== 'invalid_value');
  if (more.length > 0) return toFaults(more, path);
  const kinds = issue.errors.flat().map((inner) => problemOf(inner).replace('must be ', ''));
  return [{ path, problem: `must be ${[...new Set(kinds)].join(' or ')}` }];
}

function problemOf(issue: Issue): string {
  switch (issue.code) {
    case 'invalid_type':
      return issue.message.includes('received undefined')
        ? `is missing: it must be ${article(issue.expected)}`
        : `must be ${article(issue.expected)}`;
    case 'invalid_value':
      return `must be ${issue.values.length > 1 ? 'one of ' : ''}${issue.values.join(', ')}`;
    case 'too_small':
      if (issue.message.startsWith('Too small')) {
        return issue.origin === 'string'
          ? 'must not be empty'
          : `must be at least ${issue.minimum}`;
      }
      return issue.message;
    case 'too_big':
      return `must be at most ${issue.maximum}`;
    default:
      return issue.message;
  }
}

function article(expected: string): string {
  return NAMES[expected] ?? expected;
}
