import { findNameProblem } from '../services/service.ts';
import { type CallTarget, SURFACES, type SurfaceName, toErrorOfKind } from '../surface.ts';
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

/** The surface of each operation, by `operationId`. */
export type Operations = ReadonlyMap<string, SurfaceName>;

/** A rule of a session, with the number of calls that it may still apply to. */
interface ActiveRule {
  readonly rule: FaultRule;
  remaining: number;
}

/** A call, and the names of the faults with an effect on it, to which `FaultRules` adds. */
interface FaultedTarget extends CallTarget {
  readonly faults: string[];
}

/** The fault rules of a session. */
export class FaultRules {
  readonly #initial: readonly FaultRule[];
  readonly #operations: () => Operations;
  readonly #active = new Map<string, ActiveRule>();

  constructor(initial: readonly FaultRule[], operations: () => Operations) {
    this.#initial = initial;
    this.#operations = operations;
    this.reset();
  }

  /** Returns the rules with their remaining `times`. */
  list(): readonly FaultRule[] {
    return Array.from(this.#active.values(), ({ rule, remaining }) =>
      rule.times === undefined ? rule : { ...rule, times: remaining },
    );
  }

  /**
   * Adds a rule, or replaces the rule with this name.
   *
   * @param rule an object, or a string in the format of `--faults`: `batchDelete:code=SYS_ERR,times=2`
   * @throws FieldError that names the field and states its requirements
   */
  put(name: string, rule: Omit<FaultRule, 'name'> | string): FaultRule {
    const parsed = parseFaultRule(name, rule, this.#operations());
    this.#active.set(name, activate(parsed));
    return parsed;
  }

  /** Removes a rule. Returns whether it existed. */
  delete(name: string): boolean {
    return this.#active.delete(name);
  }

  reset(): void {
    this.#active.clear();
    for (const rule of this.#initial) this.#active.set(rule.name, activate(rule));
  }

  /**
   * Returns the effects on a call, in the order in which they are applied: those of the header or, without one, of the
   * matching rules. Rules that have an effect count the call for `times`, but a rule that only changes the body counts
   * it when the body begins, because it may be empty.
   */
  selectEffects(call: FaultedTarget, mayHaveBody: boolean, header?: string) {
    const active =
      header === undefined
        ? [...this.#active.values()].filter(({ rule }) => matches(rule, call))
        : [activate(parseHeader(header, call))];
    const effects = toEffects(active, call.surface, mayHaveBody);
    for (const { kind, source } of effects) {
      if (!('changeBody' in kind)) this.#begin(source, call);
    }
    return effects.map(({ kind, value, source }) => {
      const begin = () => this.#begin(source, call);
      return { kind, value, begin };
    });
  }

  /** Counts and names a rule once for a call. Returns false if other calls have used it up. */
  #begin(active: ActiveRule, { faults }: FaultedTarget): boolean {
    const { name } = active.rule;
    if (faults.includes(name)) return true;
    if (active.remaining === 0) return false;
    faults.push(name);
    active.remaining -= 1;
    if (active.remaining === 0 && this.#active.get(name) === active) this.#active.delete(name);
    return true;
  }
}

function activate(rule: FaultRule): ActiveRule {
  return { rule, remaining: rule.times ?? Infinity };
}

const KINDS = Object.entries(FAULT_KINDS) as [keyof Fault, FaultKind<unknown>][];
const KIND_NAMES = KINDS.map(([name]) => name);

function toEffects(active: readonly ActiveRule[], surface: SurfaceName, mayHaveBody: boolean) {
  const kinds = KINDS.filter(([, kind]) => mayHaveBody || !('changeBody' in kind));
  const effects = kinds
    .flatMap(([name, kind]) => active.map((source) => ({ source, kind, value: source.rule[name] })))
    .filter(({ kind, value }) => value !== undefined && kind.appliesTo?.(value, surface) !== false);
  const ending = effects.findIndex(({ kind }) => 'endCall' in kind);
  return ending < 0 ? effects : effects.slice(0, ending + 1);
}

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
    throw toErrorOfKind(surface, 'invalid-request', { message });
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
      const known = `the faults are ${KIND_NAMES.join(', ')}`;
      const hint = `A rule, unlike ${FAULT_HEADER}, may also have match and times.`;
      throw new FieldError(name, `is not a fault: ${known}. ${hint}`);
    }
    if (input === undefined) continue;
    const value = kind.parse(input);
    if (value === undefined || (surface && kind.appliesTo?.(value, surface) === false)) {
      throw new FieldError(name, `must be ${kind.requirement(surface)}.`);
    }
    parsed[name] = value;
  }
  if (Object.keys(parsed).length > 0) return parsed;
  throw new FieldError(FAULT, `must contain at least one of ${KIND_NAMES.join(', ')}.`);
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
  const known = [...SURFACES, ...operations.keys()];
  const hint = suggest(text, known, 'surfaces and operations');
  const expected = "service:<name>, a surface or an operation (not one of a service's document)";
  throw new FieldError('match', `must be ${expected}.${hint}`);
}
