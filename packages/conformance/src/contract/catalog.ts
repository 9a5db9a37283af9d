import gateway from '@berth/spec/gateway.v1.openapi30.json' with { type: 'json' };
import source from '@berth/spec/rules.json' with { type: 'json' };
import storage from '@berth/spec/storage.v2.openapi30.json' with { type: 'json' };
import { type SentenceId, TOPICS } from '../generated/rule-ids.gen.ts';
import { WORKFLOWS } from '../generated/workflows.gen.ts';
import {
  APIS,
  type Api,
  type DocumentedResponse,
  documents,
  findResponse,
  listResponses,
  type OpenapiDocument,
  toContract,
} from './openapi.ts';

type Level = 'must' | 'should';

type RuleSource = Omit<(typeof source.rules)[number], 'sentences' | 'level'>;

/** A requirement of the contract, as one or more sentences that can be checked. */
export interface Rule extends RuleSource {
  engine: 'rules';
  level: Level;
  api: Api;
  /** What it is about, by the beginning of its ID: `Gateway`. */
  topic: string;
  /** The sentences by their IDs: `GW-PATH/1`. The only sentence of a rule has the ID of the rule. */
  sentences: Readonly<Record<string, string>>;
  /**
   * Where the documents state the rule. Findings cite the first place (`placeOf`). If Dredd does not get a response that
   * one of the places contains, the rule is violated (`listViolated`), so that `--known` with this rule covers that, too.
   */
  places: string[];
}

const TITLES: Record<string, string> = TOPICS;

export const rules: readonly Rule[] = source.rules.map(({ sentences, ...rule }) => ({
  ...rule,
  engine: 'rules',
  level: rule.level.toLowerCase() as Level,
  // The generator rejects a rule for deployments that is about both documents.
  api: rule.documents === 'gateway.v1' ? 'gateway' : 'storage',
  topic: TITLES[rule.id.slice(0, rule.id.indexOf('-'))] ?? '',
  sentences: sentences
    ? Object.fromEntries(sentences.map((text, index) => [`${rule.id}/${index + 1}`, text]))
    : { [rule.id]: rule.statement },
}));

export function findRule(id: string): Rule {
  const [ruleId] = id.split('/');
  const found = rules.find((rule) => rule.id === ruleId);
  if (found) return found;
  throw new Error(`No rule has the ID ${ruleId}.`);
}

export const placeOf = ({ places, id }: Rule): string => places[0] ?? id;

/**
 * Returns the rules that a finding violates: the rule of its sentence or, if it has none, every rule with a place that
 * contains the finding's place.
 */
export function listViolated({ sentence, where }: { sentence?: string; where: string }): string[] {
  if (sentence !== undefined) return [findRule(sentence).id];
  const place = where.replace(' #', '#');
  const isAbove = (other: string) => place === other || place.startsWith(`${other}/`);
  return rules.filter(({ places }) => places.some(isAbove)).map(({ id }) => id);
}

/** Returns what rules are based on: lines of the API description, and decisions: `D21 (Top level or data)`. */
export function listSources(ids: readonly string[]): string[] {
  const titles: Record<string, string> = source.decisions;
  const found = rules.filter(({ id }) => ids.includes(id));
  const parts = found.flatMap(({ source: entries, decisions }) => [
    ...entries,
    ...decisions.map((id) => `${id} (${titles[id]})`),
  ]);
  return [...new Set(parts)];
}

/**
 * What a case needs that an operator may not have. Without it, the complete check is disabled: if only some of its calls need
 * something, define a second check of the sentence for these.
 */
export type Need =
  | 'fixture'
  | 'webSocket'
  /** Handshake checks of a sentence that also has plain calls. Without WebSockets, it is only partly checked. */
  | 'alsoWebSocket'
  | 'bearer'
  | 'signature'
  | 'otherEnvToken'
  | 'forbiddenService'
  /** Without this need, a check of storage calls also runs on a deployment that accepts them without credentials. */
  | 'storageCredentials'
  /** Stores files: all other cases make changing calls only for files that do not exist. */
  | 'writes';

/** Anything that gets its own result in a run: a rule, a documented response that Dredd requests, or a workflow that Respect runs. */
export interface Case {
  engine: 'rules' | 'dredd' | 'respect';
  /** `GW-C1`, `storage batchDelete 200 application/json` or `copy-file`. */
  id: string;
  level: Level;
  /** The sentence of the contract that it checks. */
  statement: string;
  api: Api;
  /** The sentences of a rule by their IDs. */
  sentences?: Readonly<Record<string, string>>;
}

/** What a run performs: a check of a sentence, a transaction or a workflow. */
export interface Runnable {
  case: Case;
  /** The sentence that a check is about. */
  sentence?: SentenceId;
  needs: readonly Need[];
}

/** The contract in OpenAPI 3.0, which Dredd needs. */
export const openapi30Documents = { gateway, storage } as unknown as Record<Api, OpenapiDocument>;

export interface Transaction extends Runnable {
  documented: DocumentedResponse;
  /** Where the document in OpenAPI 3.1 defines it. */
  place: string;
}

const contract = toContract();

/** The documented responses that Dredd can request. The others are left to the checks for individual rules. */
export const transactions: readonly Transaction[] = APIS.flatMap((api) =>
  listResponses(api, openapi30Documents[api]).flatMap((documented): Transaction | [] => {
    const { operationId, status, contentType } = documented;
    // No request causes a 500 on an arbitrary deployment, and the fixture service accepts commands only below its root.
    const isUnreachable =
      status === '500' || (operationId.endsWith('-root') && contentType === 'text/plain');
    if (contentType === undefined || isUnreachable) return [];
    const { name } = documents[api];
    const found = findResponse(contract, documented, Number(status));
    return {
      case: {
        engine: 'dredd',
        id: `${api} ${operationId} ${status} ${contentType}`,
        level: 'must',
        statement: `The response to ${operationId} matches what ${name} documents for ${status} ${contentType}.`,
        api,
      },
      needs: needsOf(documented),
      documented,
      place: `${name} ${found?.pointer}`,
    };
  }),
);

function needsOf({ api, status }: DocumentedResponse): Need[] {
  if (api === 'storage') return ['storageCredentials'];
  const needs: Record<string, Need[]> = { 200: ['fixture'], 403: ['forbiddenService'] };
  return needs[status] ?? [];
}

export interface Workflow extends Runnable {
  file: string;
}

export const workflows = WORKFLOWS.map(({ id, statement, file }): Workflow => {
  const common = { engine: 'respect', id, level: 'must', statement } as const;
  return file.startsWith('gateway')
    ? { case: { ...common, api: 'gateway' }, needs: ['fixture'], file }
    : { case: { ...common, api: 'storage' }, needs: ['storageCredentials', 'writes'], file };
});

export const catalog: readonly Case[] = [
  ...rules,
  ...transactions.map((transaction) => transaction.case),
  ...workflows.map((workflow) => workflow.case),
];

/** What a case of each engine is called. */
const CASE_NAMES = { rules: 'rule', dredd: 'transaction', respect: 'workflow' } as const;

/** Counts cases by what made their calls: `1 rule, 4 transactions`. */
export function nameCases(cases: readonly Pick<Case, 'engine'>[]): string {
  const counts = [...Map.groupBy(cases, ({ engine }) => CASE_NAMES[engine])];
  return counts.map(([name, { length }]) => `${length} ${name}${length > 1 ? 's' : ''}`).join(', ');
}

/** Counts cases among all, by what made their calls: `1 of 80 rules, 0 of 9 workflows`. */
export function countCases(
  some: readonly Pick<Case, 'engine'>[],
  all: readonly Pick<Case, 'engine'>[],
): string {
  const counts = [...Map.groupBy(all, ({ engine }) => engine)].map(([engine, { length }]) => {
    const count = some.filter((each) => each.engine === engine).length;
    return `${count} of ${length} ${CASE_NAMES[engine]}s`;
  });
  return counts.join(', ');
}

const sentencesOf = ({ id, sentences = {} }: Case): string[] => [id, ...Object.keys(sentences)];

/** What `--known` may name: a case, or a sentence of a rule. */
export const IDS: ReadonlySet<string> = new Set(catalog.flatMap(sentencesOf));

/**
 * Returns a function that says whether `--only` selects a case, or a sentence of it: by its engine, by its API or by the
 * beginning of its ID. A complete ID does not select longer ones: `GW-SSE`, `GW-SSE-UNBUFFERED`.
 */
export function createSelection(only: readonly string[]) {
  return (testCase: Case, sentence: string = testCase.id): boolean => {
    const names = [testCase.engine, testCase.api, testCase.id, sentence];
    const isIn = (name: string) =>
      names.includes(name) || (!IDS.has(name) && sentence.startsWith(name));
    return only.length === 0 || only.some(isIn);
  };
}

/** Whether a name in `--only` selects anything. */
export function selectsAny(name: string): boolean {
  const selects = createSelection([name]);
  return catalog.some((each) => sentencesOf(each).some((id) => selects(each, id)));
}
