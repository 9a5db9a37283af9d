import { closest, distance } from 'fastest-levenshtein';
import type { z } from 'zod';
import { configSchema } from './schema.ts';

export interface ConfigProblem {
  /** Path of the setting, from the top: `['environments', 'dev', 'bucket']`. */
  readonly path: readonly (string | number)[];
  /** What is wrong and how to fix it, as the end of a sentence that begins with the setting. */
  readonly message: string;
  /** `file:line:column`; undefined if the configuration was not read from a file. */
  readonly place?: string;
  /** Where it is in the file, if not at the setting. */
  readonly offset?: number | undefined;
  /** Whether the value has another type than the setting. */
  readonly hasWrongType?: boolean;
}

/** Thrown if a configuration is invalid. The message has one line per error. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  readonly problems: readonly ConfigProblem[];

  constructor(problems: readonly ConfigProblem[]) {
    super(problems.map(toLine).join('\n'));
    this.problems = problems;
  }
}

function toLine({ path, message, place, hasWrongType }: ConfigProblem): string {
  const setting = toName(path) || (hasWrongType ? 'The configuration' : '');
  return `${place === undefined ? '' : `${place}: `}${setting}${setting && ' '}${message}${message.endsWith('?') ? '' : '.'}`;
}

function toName(path: readonly (string | number)[]): string {
  return path
    .map((step) => (typeof step === 'number' ? `[${step}]` : `.${step}`))
    .join('')
    .replace(/^\./, '');
}

type Issue = z.core.$ZodIssue;
type Path = (string | number)[];

/** Validates a configuration and fills in the defaults, without reading the files that it names. */
export function validate(input: unknown) {
  const { data, error } = configSchema.safeParse(input, { error: toMessage });
  return { config: data, problems: toProblems(error?.issues ?? []) };
}

/** Converts zod's issues, whose messages are those of `toMessage`. */
function toProblems(issues: readonly Issue[], at: Path = []): ConfigProblem[] {
  return issues.flatMap((issue): ConfigProblem[] => {
    const path = [...at, ...(issue.path as Path)];
    const { message } = issue;
    switch (issue.code) {
      case 'unrecognized_keys': {
        const known = message.split(' ');
        return issue.keys.map((key) => ({ path: [...path, key], message: toUnknown(key, known) }));
      }
      case 'invalid_key':
        return issue.issues.map((inner) => ({ path, message: inner.message }));
      case 'invalid_union': {
        // A form whose error is inside the value, not the value itself, is most likely the intended one.
        const form = issue.errors.find((inner) => inner.some((error) => error.path.length > 0));
        if (form !== undefined) return toProblems(form, path);
        return [{ path, message, hasWrongType: true }];
      }
      case 'invalid_type':
        return [{ path, message, hasWrongType: true }];
      default:
        return [{ path, message }];
    }
  });
}

/**
 * Says what is wrong with a setting and how to fix it, as the end of a sentence that begins with the setting. Schemas have
 * messages of their own for what only they know. The message for unknown settings, which share an issue, is the list of
 * the known ones: only here is the schema at hand.
 */
function toMessage(issue: z.core.$ZodRawIssue): string {
  switch (issue.code) {
    case 'invalid_type':
    case 'invalid_value':
      return `${issue.input === undefined ? 'is missing: it ' : ''}must be ${toExpected(issue as Issue)}`;
    case 'invalid_union':
      return `must be ${toExpected(issue as Issue)}`;
    case 'too_small':
      if (issue.origin === 'string') return 'must not be empty';
      return `must be ${issue.inclusive ? 'at least' : 'more than'} ${issue.minimum}`;
    case 'too_big':
      return `must be at most ${issue.maximum}`;
    case 'unrecognized_keys':
      return Object.keys((issue.inst as z.ZodObject).shape).join(' ');
    default:
      return 'is invalid';
  }
}

function toExpected(issue: Issue): string {
  switch (issue.code) {
    case 'invalid_type':
      return toTypeName(issue.expected);
    case 'invalid_value':
      return `${issue.values.length > 1 ? 'one of ' : ''}${issue.values.join(', ')}`;
    case 'invalid_union':
      if ('options' in issue) return `one of ${(issue.options as string[]).join(', ')}`;
      return [...new Set(issue.errors.flat().map(toExpected))].join(' or ');
    default:
      return issue.message;
  }
}

function toTypeName(expected: string): string {
  const name = { int: 'integer', record: 'object' }[expected] ?? expected;
  return `${/^[aio]/.test(name) ? 'an' : 'a'} ${name}`;
}

function toUnknown(key: string, known: readonly string[]): string {
  const suggestion = closest(key, known);
  return distance(key, suggestion) <= Math.max(2, key.length / 3)
    ? `is not a setting: did you mean ${suggestion}?`
    : `is not a setting; known settings: ${known.join(', ')}`;
}
