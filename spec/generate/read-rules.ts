import { existsSync, readFileSync } from 'node:fs';
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
  /** What it means in detail, if that takes several sentences. They are numbered: `GW-PATH/2`. */
  sentences?: string[];
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
const SURFACES = ['gateway', 'auth', 'storage', 'upload', 'clients'];

interface Known {
  readonly documents: Readonly<Record<string, { paths: object }>>;
  readonly defaults: object;
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
  const read = (name: string) => parse(readFileSync(join(folder, `${name}.yaml`), 'utf8')) ?? [];
  const outline = toOutlinePlaces(read('outline'));
  const validate = createValidator(known, outline);
  const problems: string[] = [];
  const rules = new Map<string, Rule>();
  for (const surface of SURFACES) {
    for (const rule of read(surface)) {
      const found = validate(rule);
      if (rules.has(rule.id)) found.push('has the ID of another rule');
      problems.push(...found.map((problem) => `${surface}.yaml: ${rule.id}: ${problem}`));
      rules.set(rule.id, surface === 'clients' ? { ...rule, checkedBy: 'client' } : rule);
    }
  }
  const all = [...rules.values()];
  const stated = new Set(all.flatMap(({ source }) => source));
  const forgotten = outline.filter((place) => !stated.has(place));
  problems.push(...forgotten.map((place) => `${place}: no rule states it`));
  if (problems.length > 0) throw new Error(`The rules are invalid:\n${problems.join('\n')}`);
  return {
    rules: all.filter(({ checkedBy }) => checkedBy === undefined),
    clientRules: all.filter(({ checkedBy }) => checkedBy === 'client'),
  };
}

/** Returns a function that adds the missing lists to a rule, and returns what is wrong with it. */
function createValidator(known: Known, outline: string[]): (rule: Rule) => string[] {
  const listOf = (items: object) => ({ type: 'array', items, uniqueItems: true, default: [] });
  const needed = { minItems: 1, default: undefined };
  const sentence = { type: 'string', minLength: 20, pattern: '\\.$' };
  const ajv = new Ajv2020({ allErrors: true, useDefaults: true, verbose: true });
  ajv.addFormat('place', (place) => isPlace(place, known));
  const isRule = ajv.compile<Rule>({
    type: 'object',
    required: ['id', 'level', 'statement', 'documents', 'operations', 'places'],
    additionalProperties: false,
    properties: {
      id: { type: 'string', pattern: '^(GW|ST|UP|AU|CL)(-[A-Z0-9]+)+$' },
      level: { enum: ['MUST', 'SHOULD'] },
      statement: sentence,
      sentences: { type: 'array', items: sentence, uniqueItems: true, minItems: 2 },
      source: listOf({ enum: outline }),
      decisions: listOf({ enum: Object.keys(known.decisions) }),
      operations: { ...listOf({ enum: toOperationIds(known.documents) }), ...needed },
      documents: { enum: ['gateway.v1', 'storage.v2', 'both'] },
      places: { ...listOf({ type: 'string', format: 'place' }), ...needed },
    },
  });
  return (rule) => {
    isRule(rule);
    const problems = (isRule.errors ?? []).map(
      ({ instancePath, data, message }) =>
        `${instancePath} ${message}${typeof data === 'string' ? `: ${data}` : ''}`,
    );
    if (rule.source.length + rule.decisions.length > 0) return problems;
    return [...problems, 'names neither a source nor a decision'];
  };
}

function toOperationIds(documents: Known['documents']): string[] {
  return Object.values(documents)
    .flatMap(({ paths }) => Object.values(paths).flatMap((item) => Object.values(item)))
    .map((operation) => (operation as { operationId?: string }).operationId)
    .filter((id) => id !== undefined);
}

/** Returns whether a place exists: a pointer (RFC 6901) into a document or the defaults, or another file in `spec`. */
function isPlace(place: string, { documents, defaults }: Known): boolean {
  const [target = '', pointer = ''] = place.split('#');
  let value: unknown = { ...documents, 'defaults.yaml': defaults }[target];
  if (value === undefined) return existsSync(join(SPEC, target));
  for (const name of pointer.split('/').slice(1)) {
    value = Object(value)[name.replaceAll('~1', '/').replaceAll('~0', '~')];
  }
  return value !== undefined;
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
