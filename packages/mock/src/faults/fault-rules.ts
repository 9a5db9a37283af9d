import { HttpError } from '@berth/server-stubs/contract';
import { findNameProblem } from '../services/service.ts';
import {
  type CallTarget,
  type Operations,
  SURFACES,
  type SurfaceName,
  toSurfaceError,
} from '../surface.ts';
import { FieldError, isObject, suggest, toInteger } from '../user-input.ts';
import { FAULT_KINDS, type Fault, type FaultKind } from './fault-kinds.ts';

/** Faults, and the calls that they apply to. */
export interface FaultRule extends Fault {
  /** Name in the log. */
  readonly name: string;
  /** An `operationId`, a surface, or a service (`service:hello`). Default: every call. */
  readonly match?: string;
  /** Number of calls after which the rule is removed. Default: unlimited. */
  readonly times?: number;
}

/** The fault rules of a session. */
export class FaultRules {
  readonly #initial: readonly FaultRule[];
  readonly #operations: () => Operations;
  readonly #rules = new Map<string, FaultRule>();

  constructor(initial: readonly FaultRule[], operations: () => Operations) {
    this.#initial = initial;
    this.#operations = operations;
    this.reset();
  }

  /** Returns the rules with their remaining `times`. */
  list(): readonly FaultRule[] {
    return [...this.#rules.values()];
  }

  /**
   * Adds a rule, or replaces the rule with this name.
   *
   * @param rule an object, or a string in the format of `--faults`: `batchDelete:code=SYS_ERR,times=2`
   * @throws FieldError that names the field and states its requirements
   */
  put(name: string, rule: Omit<FaultRule, 'name'> | string): FaultRule {
    const parsed = parseFaultRule(name, rule, this.#operations());
    this.#rules.set(name, parsed);
    return parsed;
  }

  /** Removes a rule. Returns whether it existed. */
  delete(name: string): boolean {
    return this.#rules.delete(name);
  }

  reset(): void {
    this.#rules.clear();
    for (const rule of this.#initial) this.#rules.set(rule.name, rule);
  }

  /** Returns the effects on a call, in order: those of the header or, without one, of the matching rules. */
  selectEffects(call: CallTarget, header?: string) {
    const rules =
      header === undefined
        ? this.list().filter((rule) => matches(rule, call))
        : [parseHeader(header, call)];
    const effects = KINDS.flatMap(([name, kind]) =>
      rules.map((rule) => ({ rule, kind, value: rule[name] })),
    ).filter(({ kind, value }) => {
      return value !== undefined && kind.appliesTo?.(value, call.surface) !== false;
    });
    const ending = effects.findIndex(({ kind }) => 'endCall' in kind);
    return ending < 0 ? effects : effects.slice(0, ending + 1);
  }

  /** Counts a call for the `times` of a rule. Returns false if other calls have used it up. */
  count({ name, times }: FaultRule): boolean {
    if (times === undefined) return true;
    const rule = this.#rules.get(name);
    if (rule?.times === undefined) return false;
    if (rule.times === 1) this.#rules.delete(name);
    else this.#rules.set(name, { ...rule, times: rule.times - 1 });
    return true;
  }
}

const KINDS = Object.entries(FAULT_KINDS) as [keyof Fault, FaultKind<unknown>][];
const KIND_NAMES = KINDS.map(([name]) => name).join(', ');

function matches({ match }: FaultRule, { surface, operationId, service }: CallTarget): boolean {
  if (match === undefined || match === surface || match === operationId) return true;
  return service !== undefined && match === `service:${service}`;
}

/** Request header that applies faults to one call, instead of the rules: `latency=200,reset`. */
export const FAULT_HEADER = 'X-Mock-Fault';

function parseHeader(text: string, { surface }: CallTarget): FaultRule {
  try {
    return { name: FAULT_HEADER, ...parseFaults(splitFields(text), surface) };
  } catch (error) {
    if (!(error instanceof FieldError)) throw error;
    const message = `${FAULT_HEADER}: ${error.message}`;
    throw toSurfaceError(surface, new HttpError('invalid-request', message));
  }
}

const FAULT = 'The fault';

export function parseFaultRules(rules: readonly (object | string)[], operations: Operations) {
  return rules.map((rule, index) => {
    try {
      return parseFaultRule(`fault-${index + 1}`, rule, operations);
    } catch (error) {
      throw new FieldError(`faults[${index}]:`, (error as Error).message, { cause: error });
    }
  });
}

/**
 * @param input an object, whose `name` has no effect, or the compact form: `service:hello:latency=200,times=2`
 * @throws FieldError that names the field and states its requirements
 */
function parseFaultRule(name: string, input: unknown, operations: Operations): FaultRule {
  if (name === '') throw new FieldError('name', 'must not be empty.');
  const fields = typeof input === 'string' ? splitRule(input) : input;
  if (!isObject(fields)) {
    throw new FieldError(FAULT, 'must be a rule, such as { "latency": 200 } or "latency=200".');
  }
  const { match, times, ...faults } = fields;
  // A rule from `list` can be put back.
  if (typeof input !== 'string') delete faults.name;
  const count = times === undefined ? undefined : toInteger(times, 1);
  if (times !== undefined && count === undefined) {
    throw new FieldError('times', 'must be a positive integer.');
  }
  const surface = match === undefined ? undefined : toSurface(match, operations);
  return {
    name,
    ...(match !== undefined && { match: String(match) }),
    ...(count !== undefined && { times: count }),
    ...parseFaults(faults, surface),
  };
}

type Fields = Record<string, unknown>;

function splitRule(text: string): Fields {
  if (/^service:[^:=,]+$/.test(text)) {
    throw new FieldError(FAULT, `is missing: add one, such as ${text}:latency=200.`);
  }
  // `service:<name>` contains a colon, and so may a value.
  const [, match, rest = ''] = /^(?:([^=]*):)?(.*)$/s.exec(text) ?? [];
  const fields = splitFields(rest);
  if ('match' in fields)
    throw new FieldError('match', 'must come before the faults, as in storage:reset.');
  if (match !== undefined) fields.match = match;
  return fields;
}

/** Splits `latency=100,reset` into fields; a field without a value is true. */
function splitFields(text: string): Fields {
  const fields: Fields = Object.create(null);
  for (const part of text.split(',')) {
    const [name = '', ...value] = part.split('=').map((side) => side.trim());
    if (name === '') {
      throw new FieldError(FAULT, 'must be a list of fields, such as latency=200,reset.');
    }
    if (name in fields) throw new FieldError(name, 'must not be repeated.');
    fields[name] = value.length === 0 ? true : value.join('=');
  }
  return fields;
}

/** @param surface the only one that the faults are for */
function parseFaults(fields: Fields, surface?: SurfaceName): Fault {
  const parsed: Fields = {};
  for (const [name, input] of Object.entries(fields)) {
    const kind = KINDS.find(([kindName]) => kindName === name)?.[1];
    if (kind === undefined) {
      const hint = `A rule, unlike ${FAULT_HEADER}, may also have match and times.`;
      throw new FieldError(name, `is not a fault: the faults are ${KIND_NAMES}. ${hint}`);
    }
    if (input === undefined) continue;
    const value = kind.parse(input);
    if (value === undefined || (surface && kind.appliesTo?.(value, surface) === false)) {
      throw new FieldError(name, `must be ${kind.requirement(surface)}.`);
    }
    parsed[name] = value;
  }
  if (Object.keys(parsed).length > 0) return parsed;
  throw new FieldError(FAULT, `must contain at least one of ${KIND_NAMES}.`);
}

/** Returns the surface that `match` refers to. */
function toSurface(match: unknown, operations: Operations): SurfaceName {
  const text = typeof match === 'string' ? match : '';
  const surface = operations.get(text) ?? SURFACES.find((name) => name === text);
  if (surface !== undefined) return surface;
  const [, service] = /^service:(.+)$/s.exec(text) ?? [];
  const problem = service && findNameProblem(service);
  if (problem) throw new FieldError(`match: ${service}`, problem);
  if (service !== undefined) return 'gateway';
  const hint = suggest(text, [...SURFACES, ...operations.keys()], 'surfaces and operations');
  const expected = "service:<name>, a surface or an operation (not one of a service's document)";
  throw new FieldError('match', `must be ${expected}.${hint}`);
}
