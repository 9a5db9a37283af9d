import { readdir, readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { parse } from 'yaml';
import { toOutlinePlaces } from './rules/outline.ts';
import { type Rule, type RuleSet, ruleSchema } from './rules/rule.ts';
import { ruleProblems } from './rules/rule-problems.ts';

const SPEC = join(import.meta.dirname, '../..');
const DECISIONS = join(SPEC, '../docs/decisions');

const isRule = new Ajv2020({ allErrors: true, useDefaults: true }).compile<Rule>(ruleSchema);

/**
 * Reads the rule set of the contract, the files that `index.yaml` names, in that order.
 *
 * @param documents the bundled documents, so that the places of rules can be looked up; the
 *   published ones by default
 * @param folder where the rules are; `spec/rules` by default
 * @throws Error that lists every problem with file and rule: a wrong shape, a duplicate id, an
 *   operation, decision, source or place that does not exist, a line of the outline without a rule
 */
export async function readRules(
  documents?: Record<string, unknown>,
  folder: string = join(SPEC, 'rules'),
): Promise<RuleSet> {
  const { version, documents: versions, files } = await readYaml(join(folder, 'index.yaml'));
  const outline = toOutlinePlaces(await readYaml(join(folder, 'outline.yaml')));
  const decisions = await readDecisions();
  const bundles = documents ?? (await readPublished());
  const operations = new Set(Object.values(bundles).flatMap(toOperationIds));
  const context = { documents: bundles, operations, decisions, outline };

  const problems = await unlisted(folder, files);
  const rules = new Map<string, Rule>();
  for (const file of files as string[]) {
    for (const rule of await readYaml(join(folder, file))) {
      const found = isRule(rule) ? ruleProblems(rule, context) : shapeProblems();
      if (rules.has(rule.id)) found.push('has the id of another rule');
      problems.push(...found.map((problem) => `${file}: ${rule.id}: ${problem}`));
      rules.set(rule.id, rule);
    }
  }
  problems.push(...uncovered(outline, [...rules.values()]));
  if (problems.length > 0) throw new Error(`The rules are wrong:\n${problems.join('\n')}`);
  return { version, documents: versions, outline, decisions, rules: [...rules.values()] };
}

/** Decision → its file, for example `D8` → `d08-content-disposition.md`. */
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
    .map((file) => `${file}: index.yaml does not name it`);
}

async function readPublished(): Promise<Record<string, unknown>> {
  const names = ['gateway.v1', 'storage.v2'];
  const texts = names.map((name) => readFile(join(SPEC, `generated/${name}.gen.json`), 'utf8'));
  return Object.fromEntries(
    (await Promise.all(texts)).map((text, index) => [names[index], JSON.parse(text)]),
  );
}

async function readYaml(file: string) {
  return parse(await readFile(file, 'utf8'));
}
