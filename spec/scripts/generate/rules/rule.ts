/** How a rule counts: MUST and SHOULD are checked on any deployment, info is not. */
const LEVELS = ['MUST', 'SHOULD', 'info'] as const;

/** One row of the rule set: one fact of the contract. */
export type Rule = {
  /** Stable name, for example `GW-C1`. */
  id: string;
  level: (typeof LEVELS)[number];
  /** The fact in one sentence. */
  statement: string;
  /** Where the API description says it, as places of `spec/rules/outline.yaml`. */
  source: string[];
  /** The decisions that say it or fill it, for example `D8`. */
  decisions: string[];
  /** operationIds that it is about. */
  operations: string[];
  documents: 'gateway.v1' | 'storage.v2' | 'both';
  /** Where the contract says it: `<document>#<JSON pointer>` or `<file in spec>[#<JSON pointer>]`. */
  places: string[];
};

/** The rule set as it is published. */
export type RuleSet = {
  version: string;
  /** The version of each document that the rules belong to. */
  documents: Record<string, string>;
  /** The lines of the API description in their order, for example `Resources › Error body › code`. */
  outline: string[];
  /** File of each decision in `docs/decisions`. */
  decisions: Record<string, string>;
  rules: Rule[];
};

const strings = {
  type: 'array',
  items: { type: 'string', minLength: 1 },
  uniqueItems: true,
  default: [],
};

/** Shape of a row in a rules file; the lists may be left out there. */
export const ruleSchema = {
  type: 'object',
  required: ['id', 'level', 'statement', 'documents'],
  additionalProperties: false,
  properties: {
    id: { type: 'string', pattern: '^(GW|ST|UP|AU|VR|IN)(-[A-Z0-9]+)+$' },
    level: { enum: LEVELS },
    statement: { type: 'string', minLength: 20, pattern: '\\.$' },
    source: strings,
    decisions: strings,
    operations: strings,
    documents: { enum: ['gateway.v1', 'storage.v2', 'both'] },
    places: strings,
  },
};
