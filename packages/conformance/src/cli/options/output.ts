import type { OptionGroup } from './option-spec.ts';

/** What is shown and written. */
export const output = {
  report: {
    kind: 'list',
    value: '<kind=FILE>',
    separator: /,(?=[a-z]+=)/,
    about: 'write a report: json=FILE, junit=FILE, html=FILE, badge=FILE; repeatable',
  },
  failedOnly: { kind: 'flag', about: 'show only what did not pass' },
  compare: {
    kind: 'text',
    value: '<file>',
    isFile: true,
    about: 'earlier JSON report: say what fails anew, what passes anew, what still fails',
  },
} as const satisfies OptionGroup;

/** What to do instead of a run, and where settings come from. */
export const commands = {
  config: {
    kind: 'text',
    value: '<file>',
    isFile: true,
    isCommand: true,
    about: 'JSON file with options, camelCase: { "gatewayUrl": "https://…", "readOnly": true }',
  },
  list: { kind: 'flag', isCommand: true, about: 'show the rules, with level, needs and sentence' },
  dryRun: {
    kind: 'flag',
    isCommand: true,
    about: 'show what would be sent, rule by rule, and send nothing',
  },
  json: { kind: 'flag', isCommand: true, about: '--list or --dry-run as JSON' },
} as const satisfies OptionGroup;
