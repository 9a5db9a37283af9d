import rules from '@berth/spec/rules.json' with { type: 'json' };
import { LEVELS, RANGES } from '../../options.ts';
import type { OptionGroup } from './option-spec.ts';

const COMMAS = /\s*,\s*/;

/** Which rules are checked, and how far. */
export const selection = {
  only: {
    kind: 'list',
    value: '<ids>',
    separator: COMMAS,
    about:
      'check only these: rule ids or beginnings of them (GW-C,ST-COPY), dredd, respect; repeatable',
  },
  skip: {
    kind: 'list',
    value: '<ids>',
    separator: COMMAS,
    about: 'leave these out; they are reported as disabled; repeatable',
  },
  level: {
    kind: 'text',
    value: '<level>',
    choices: LEVELS,
    about: 'must leaves the SHOULD rules out',
    usual: 'should',
  },
  rules: {
    kind: 'text',
    value: '<version>',
    about: 'version of the rule set',
    usual: rules.version,
  },
  readOnly: { kind: 'flag', about: 'make no call that stores, changes or deletes a file' },
  prefix: {
    kind: 'text',
    value: '<path>',
    about: 'folder of everything that is stored; it is emptied at the end',
    usual: 'berth-conformance',
  },
  seed: {
    kind: 'whole',
    value: '<number>',
    about: 'seed of the generated requests; the same seed sends the same',
    usual: 'random, shown at the end',
  },
  runs: {
    kind: 'whole',
    value: '<number>',
    range: RANGES.runs,
    about: 'generated requests for each property',
    usual: String(RANGES.runs.usual),
  },
  bail: { kind: 'flag', about: 'end after the first failure that is not in the baseline' },
  baseline: {
    kind: 'text',
    value: '<file>',
    isFile: true,
    about: 'ids that are known to fail, JSON list or one a line; one that passes fails the run',
  },
} as const satisfies OptionGroup;
