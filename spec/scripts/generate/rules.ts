import { existsSync, readFileSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { parse } from 'yaml';

const SPEC = join(import.meta.dirname, '../..');

const LEVELS = ['MUST', 'SHOULD'] as const;

/** One row of the rule set, which is one fact of the contract. */
type Rule = {
  /** Stable ID, such as `GW-C1`. */
  id: string;
  level: (typeof LEVELS)[number];
  /** The fact in one sentence. */
  statement: string;
  /** Where the API description states it, as entries of `spec/rules/outline.yaml`. */
  source: string[];
  /** Decisions that it is based on, such as `D8`. */
  decisions: string[];
  /** The operationIds that it applies to. */
  operations: string[];
  documents: 'gateway.v1' | 'storage.v2' | 'both';
  /** Set if the tests of a client check it, and not the conformance suite. */
  checkedBy?: 'client';
  /** Where the contract contains it: `<document>#<JSON pointer>` or `<file in spec>[#<JSON pointer>]`. */
  places: string[];
};

/** The published rule set. */
type RuleSet = {
  /** File in `docs/decisions` for each decision. */
  decisions: Record<string, string>;
  rules: Rule[];
  /** The rules for clients, which deployments are not checked against. */
  clientRules: Rule[];
};

const strings = {
  type: 'array',
  items: { type: 'string', minLength: 1 },
  uniqueItems: true,
  default: [],
};

/** Schema of a row in a rules file, in which lists are optional. */
const ruleSchema = {
  type: 'object',
  required: ['id', 'level', 'statement', 'documents'],
  additionalProperties: false,
  properties: {
    id: { type: 'string', pattern: '^(GW|ST|UP|AU|CL)(-[A-Z0-9]+)+$' },
    level: { enum: LEVELS },
    statement: { type: 'string', minLength: 20, pattern: '\\.$' },
    source: strings,
    decisions: strings,
    operations: strings,
    documents: { enum: ['gateway.v1', 'storage.v2', 'both'] },
    places: strings,
  },
};

/** Returns whether the place that a rule names exists: a pointer into a bundled document or into a file in `spec`. */
function isPlace(place: string, documents: Record<string, unknown>): boolean {
  const [target = '', pointer = ''] = place.split('#');
  if (target in documents) return hasPointer(documents[target], pointer);
  const file = join(SPEC, target);
  if (!existsSync(file)) return false;
  return pointer === '' || hasPointer(parse(readFileSync(file, 'utf8')), pointer);
}

/** RFC 6901. */
function hasPointer(value: unknown, pointer: string): boolean {
  return pointer
    .split('/')
    .slice(1)
    .map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'))
    .every((token) => {
      if (typeof value !== 'object' || value === null || !Object.hasOwn(value, token)) return false;
      value = (value as Record<string, unknown>)[token];
      return true;
    });
}

const DECISIONS = join(SPEC, '../docs/decisions');

const isRule = new Ajv2020({ allErrors: true, useDefaults: true }).compile<Rule>(ruleSchema);

/**
 * Reads the contract's rule set from the files listed in `index.yaml`, in that order.
 *
 * @param documents bundled documents in which to look up places
 * @param folder folder with the rules. Default: `spec/rules`
 * @throws Error listing every problem with its file and rule: an invalid shape, a duplicate ID, an
 *   unknown operation, decision, source or place, or an entry of the outline without a rule
 */
export async function readRules(
  documents: Record<string, unknown>,
  folder: string = join(SPEC, 'rules'),
): Promise<RuleSet> {
  const index: Index = await readYaml(join(folder, 'index.yaml'));
  const { files, clients = [] } = index;
  const outline = toOutlinePlaces(await readYaml(join(folder, 'outline.yaml')));
  const decisions = await readDecisions();
  const operations = Object.values(documents).flatMap(toOperationIds);
  const findProblems = (rule: Rule) => [
    ...missing('operation', rule.operations, (id) => operations.includes(id)),
    ...missing('decision', rule.decisions, (id) => id in decisions),
    ...missing('source', rule.source, (place) => outline.includes(place)),
    ...missing('place', rule.places, (place) => isPlace(place, documents)),
    ...absent(rule),
  ];

  const problems = await unlisted(folder, [...files, ...clients]);
  const rules = new Map<string, Rule>();
  for (const file of [...files, ...clients]) {
    for (const rule of await readYaml(join(folder, file))) {
      const found = isRule(rule) ? findProblems(rule) : shapeProblems();
      if (rules.has(rule.id)) found.push('has the ID of another rule');
      problems.push(...found.map((problem) => `${file}: ${rule.id}: ${problem}`));
      rules.set(rule.id, clients.includes(file) ? { ...rule, checkedBy: 'client' } : rule);
    }
  }
  problems.push(...uncovered(outline, [...rules.values()]));
  if (problems.length > 0) throw new Error(`The rules are invalid:\n${problems.join('\n')}`);
  const all = [...rules.values()];
  return {
    decisions,
    rules: all.filter(({ checkedBy }) => checkedBy !== 'client'),
    clientRules: all.filter(({ checkedBy }) => checkedBy === 'client'),
  };
}

interface Index {
  files: string[];
  clients?: string[];
}

/** Maps decisions to their files, such as `D8` to `d08-content-disposition.md`. */
async function readDecisions(): Promise<Record<string, string>> {
  const files = (await readdir(DECISIONS)).filter((file) => /^d\d\d-.*\.md$/.test(file)).sort();
  return Object.fromEntries(files.map((file) => [`D${Number(file.slice(1, 3))}`, file]));
}

function uncovered(outline: string[], rules: Rule[]): string[] {
  const used = new Set(rules.flatMap((rule) => rule.source ?? []));
  return outline.filter((place) => !used.has(place)).map((place) => `${place}: no rule states it`);
}

function toOperationIds(document: unknown): string[] {
  const { paths } = document as { paths: Record<string, Record<string, { operationId?: string }>> };
  return Object.values(paths)
    .flatMap((item) => Object.values(item).map(({ operationId }) => operationId))
    .filter((id) => id !== undefined);
}

function shapeProblems(): string[] {
  return (isRule.errors ?? []).map((error) => `${error.instancePath} ${error.message}`.trim());
}

async function unlisted(folder: string, files: string[]): Promise<string[]> {
  const known = new Set(['index.yaml', 'outline.yaml', ...files]);
  return (await readdir(folder))
    .filter((file) => !known.has(basename(file)))
    .map((file) => `${file}: not listed in index.yaml`);
}

async function readYaml(file: string) {
  return parse(await readFile(file, 'utf8'));
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

function missing(what: string, names: string[], exists: (name: string) => boolean): string[] {
  return names.filter((name) => !exists(name)).map((name) => `${what} ${name} does not exist`);
}

function absent({ source, decisions, operations, places }: Rule): string[] {
  const problems: [boolean, string][] = [
    [source.length + decisions.length === 0, 'names neither a source nor a decision'],
    [operations.length === 0, 'needs operations'],
    [places.length === 0, 'needs a place in the contract'],
  ];
  return problems.filter(([isFound]) => isFound).map(([, problem]) => problem);
}
