import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { parse } from 'yaml';

const SPEC = join(import.meta.dirname, '..');

/** One row of the rule set, which is one fact of the contract. */
export interface Rule {
  /** Stable ID, such as `GW-C1`. */
  id: string;
  level: 'MUST' | 'SHOULD';
  /** The fact in one sentence. */
  statement: string;
  /** Where the API description states it, as entries of `rules/outline.yaml`. */
  source: string[];
  /** Decisions that it is based on, such as `D8`. */
  decisions: string[];
  /** The operationIds that it applies to. */
  operations: string[];
  documents: 'gateway.v1' | 'storage.v2' | 'both';
  /** Where the contract contains it: `<document>#<JSON pointer>` or `<file in spec>[#<JSON pointer>]`. */
  places: string[];
  /** Set if the tests of a client check it, and not the conformance suite. */
  checkedBy?: 'client';
}

/** The files, in the order of the rule set. */
const SURFACES = ['gateway', 'auth', 'storage', 'upload', 'clients'] as const;

const list = { type: 'array', items: { type: 'string', minLength: 1 }, uniqueItems: true };
const optional = { ...list, default: [] };
const needed = { ...list, minItems: 1 };

const isRule = new Ajv2020({ allErrors: true, useDefaults: true }).compile<Rule>({
  type: 'object',
  required: ['id', 'level', 'statement', 'documents', 'operations', 'places'],
  additionalProperties: false,
  properties: {
    id: { type: 'string', pattern: '^(GW|ST|UP|AU|CL)(-[A-Z0-9]+)+$' },
    level: { enum: ['MUST', 'SHOULD'] },
    statement: { type: 'string', minLength: 20, pattern: '\\.$' },
    source: optional,
    decisions: optional,
    operations: needed,
    documents: { enum: ['gateway.v1', 'storage.v2', 'both'] },
    places: needed,
  },
});

interface Known {
  readonly documents: Readonly<Record<string, unknown>>;
  readonly defaults: unknown;
  readonly decisions: Readonly<Record<string, unknown>>;
}

/**
 * Reads the contract's rules: those that deployments are checked against, and those for clients.
 *
 * @param folder folder with the rules. Default: `spec/rules`
 * @throws Error listing every problem with its file and rule: an invalid shape, a duplicate ID, an
 *   unknown operation, decision, source or place, or an entry of the outline without a rule
 */
export function readRules(known: Known, folder = join(SPEC, 'rules')) {
  const read = (file: string) => parse(readFileSync(join(folder, file), 'utf8')) ?? [];
  const outline = toOutlinePlaces(read('outline.yaml'));
  const operations = Object.values(known.documents).flatMap(toOperationIds);
  const names = ['outline', ...SURFACES].map((name) => `${name}.yaml`);
  const strays = readdirSync(folder).filter((file) => !names.includes(file));
  const problems = strays.map((file) => `${file}: not one of ${names.join(', ')}`);
  const rules = new Map<string, Rule>();
  for (const surface of SURFACES) {
    for (const rule of read(`${surface}.yaml`)) {
      const found = isRule(rule) ? findProblems(rule) : toShapeProblems();
      if (rules.has(rule.id)) found.push('has the ID of another rule');
      problems.push(...found.map((problem) => `${surface}.yaml: ${rule.id}: ${problem}`));
      rules.set(rule.id, surface === 'clients' ? { ...rule, checkedBy: 'client' } : rule);
    }
  }
  const all = [...rules.values()];
  const stated = new Set(all.flatMap(({ source = [] }) => source));
  const forgotten = outline.filter((place) => !stated.has(place));
  problems.push(...forgotten.map((place) => `${place}: no rule states it`));
  if (problems.length > 0) throw new Error(`The rules are invalid:\n${problems.join('\n')}`);
  return {
    rules: all.filter(({ checkedBy }) => checkedBy === undefined),
    clientRules: all.filter(({ checkedBy }) => checkedBy === 'client'),
  };

  function findProblems(rule: Rule): string[] {
    const missing = (what: string, values: string[], exists: (value: string) => boolean) =>
      values.filter((value) => !exists(value)).map((value) => `${what} ${value} does not exist`);
    return [
      ...missing('operation', rule.operations, (id) => operations.includes(id)),
      ...missing('decision', rule.decisions, (id) => id in known.decisions),
      ...missing('source', rule.source, (place) => outline.includes(place)),
      ...missing('place', rule.places, (place) => isPlace(place, known)),
      ...(rule.source.length + rule.decisions.length === 0
        ? ['names neither a source nor a decision']
        : []),
    ];
  }
}

function toShapeProblems(): string[] {
  return (isRule.errors ?? []).map((error) => `${error.instancePath} ${error.message}`.trim());
}

/** Returns whether a place exists: a pointer into a document or into the defaults, or another file in `spec`. */
function isPlace(place: string, { documents, defaults }: Known): boolean {
  const [target = '', pointer = ''] = place.split('#');
  const roots: Record<string, unknown> = { ...documents, 'defaults.yaml': defaults };
  return target in roots ? hasPointer(roots[target], pointer) : existsSync(join(SPEC, target));
}

/** RFC 6901. */
function hasPointer(root: unknown, pointer: string): boolean {
  const names = pointer.split('/').slice(1);
  let value = root;
  for (const name of names) {
    const key = name.replaceAll('~1', '/').replaceAll('~0', '~');
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return false;
    value = (value as Record<string, unknown>)[key];
  }
  return true;
}

function toOperationIds(document: unknown): string[] {
  const { paths } = document as { paths: Record<string, Record<string, { operationId?: string }>> };
  return Object.values(paths)
    .flatMap((item) => Object.values(item).map(({ operationId }) => operationId))
    .filter((id) => id !== undefined);
}

/** A heading with subheadings, or with the short names of its lines. */
type Outline = { [heading: string]: Outline } | string[];

/**
 * Flattens the outline of the API description into a list, in order.
 *
 * @example
 * toOutlinePlaces({ Resources: { 'Error body': ['code'] } }); // ['Resources › Error body › code']
 */
function toOutlinePlaces(outline: Outline): string[] {
  if (Array.isArray(outline)) return outline;
  return Object.entries(outline).flatMap(([heading, below]) =>
    toOutlinePlaces(below).map((place) => `${heading} › ${place}`),
  );
}
