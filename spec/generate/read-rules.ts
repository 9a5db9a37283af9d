import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { parse } from 'yaml';

/** The folder of the contract. */
export const SPEC = join(import.meta.dirname, '..');

// biome-ignore lint/suspicious/noExplicitAny: generators reach into every corner of the contract
export type Any = any;

/** The files, in the order of the rule set. */
const FILES = ['gateway', 'auth', 'storage', 'upload', 'clients'];

/** What rules are about, by the beginning of their IDs. */
export const TOPICS: Record<string, string> = {
  GW: 'Gateway',
  AU: 'Authentication',
  ST: 'Storage API',
  UP: 'Upload target',
  CL: 'Clients',
};

type Known = { documents: Any; defaults: Any; decisions: object };

/**
 * Reads the contract's rules: those that deployments are checked against, and those for clients.
 *
 * @param folder folder with the rules. Default: `spec/rules`
 * @throws Error listing every problem with its file and rule: an invalid shape, a duplicate ID, an
 *   unknown operation, decision, source or place, or an entry of the outline without a rule
 */
export function readRules(known: Known, folder = join(SPEC, 'rules')) {
  const read = (name: string) => parse(readFileSync(join(folder, `${name}.yaml`), 'utf8')) ?? [];
  const outline = flatten(read('outline'));
  const validate = createValidator(known, outline);
  const problems: string[] = [];
  const rules: Any[] = [];
  for (const file of FILES) {
    for (const rule of read(file)) {
      const found = validate(rule);
      if (rules.some(({ id }) => id === rule.id)) found.push('has the ID of another rule');
      if (file !== 'clients' && rule.documents === 'both') {
        found.push('documents: only a rule for clients can be about both');
      }
      problems.push(...found.map((problem) => `${file}.yaml: ${rule.id}: ${problem}`));
      rules.push(file === 'clients' ? { ...rule, checkedBy: 'client' } : rule);
    }
  }
  const stated = new Set(rules.flatMap(({ source }) => source));
  const forgotten = outline.filter((place) => !stated.has(place));
  problems.push(...forgotten.map((place) => `${place}: no rule states it`));
  if (problems.length > 0) throw new Error(`The rules are invalid:\n${problems.join('\n')}`);
  return {
    rules: rules.filter(({ checkedBy }) => checkedBy === undefined),
    clientRules: rules.filter(({ checkedBy }) => checkedBy === 'client'),
  };
}

/** Returns a function that adds the missing lists to a rule, and returns what is wrong with it. */
function createValidator(known: Known, outline: string[]): (rule: Any) => string[] {
  const listOf = (items: object) => ({ type: 'array', items, uniqueItems: true, default: [] });
  const needed = { minItems: 1, default: undefined };
  const sentence = { type: 'string', minLength: 20, pattern: '\\.$' };
  const paths = Object.values<Any>(known.documents).map((document) => document.paths);
  const operationIds = paths
    .flatMap((items) => Object.values<Any>(items).flatMap((item) => Object.values<Any>(item)))
    .flatMap(({ operationId }) => operationId ?? []);
  const ajv = new Ajv2020({ allErrors: true, useDefaults: true, verbose: true });
  ajv.addFormat('place', (place) => isPlace(place, known));
  const isRule = ajv.compile({
    type: 'object',
    required: ['id', 'level', 'statement', 'documents', 'operations', 'places'],
    additionalProperties: false,
    properties: {
      id: { type: 'string', pattern: `^(${Object.keys(TOPICS).join('|')})(-[A-Z0-9]+)+$` },
      level: { enum: ['MUST', 'SHOULD'] },
      statement: sentence,
      // What the statement means in detail. They are numbered: `GW-PATH/2`.
      sentences: { type: 'array', items: sentence, uniqueItems: true, minItems: 2 },
      // Where the API description states it.
      source: listOf({ enum: outline }),
      decisions: listOf({ enum: Object.keys(known.decisions) }),
      operations: { ...listOf({ enum: operationIds }), ...needed },
      documents: { enum: ['gateway.v1', 'storage.v2', 'both'] },
      // Where the contract contains it: `<document>#<JSON pointer>`, or a file in `spec`.
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

/** Returns whether a place exists: a pointer (RFC 6901) into a document or the defaults, or another file in `spec`. */
function isPlace(place: string, { documents, defaults }: Known): boolean {
  const [target = '', pointer = ''] = place.split('#');
  let value = { ...documents, 'defaults.yaml': defaults }[target];
  if (value === undefined) return existsSync(join(SPEC, target));
  for (const name of pointer.split('/').slice(1)) {
    value = value?.[name.replaceAll('~1', '/').replaceAll('~0', '~')];
  }
  return value !== undefined;
}

/** Flattens the outline: `{ Resources: { 'Error body': ['code'] } }` contains `Resources › Error body › code`. */
function flatten(outline: Any): string[] {
  if (Array.isArray(outline)) return outline;
  return Object.entries(outline).flatMap(([heading, below]) =>
    flatten(below).map((place) => `${heading} › ${place}`),
  );
}
