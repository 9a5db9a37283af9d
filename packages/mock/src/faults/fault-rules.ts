import { gatewayRoutes, storageRoutes } from '@berth/server-stubs/contract';
import { type SurfaceName, surfaceErrorFor } from '../surface.ts';
import { FieldError, isObject, toInteger, toUnknown } from '../user-input.ts';
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

export interface FaultSubject {
  readonly surface: SurfaceName;
  readonly operationId?: string | undefined;
  readonly service?: string | undefined;
  /** Whether the call asks for a WebSocket. */
  readonly isUpgrade?: boolean;
}

/** The surfaces by what `match` may be: their names, and the operations of the contract. */
const SURFACES = new Map<string, SurfaceName>();
for (const name of ['gateway', 'storage', 'upload', 'link'] as const) SURFACES.set(name, name);
for (const { operationId } of gatewayRoutes.routes) SURFACES.set(operationId, 'gateway');
for (const { operationId } of storageRoutes.routes) SURFACES.set(operationId, 'storage');
SURFACES.set('uploadFile', 'upload');

/** The fault rules of a session. */
export type SessionFaults = Pick<FaultRules, 'list' | 'put' | 'delete'>;

export class FaultRules {
  readonly #initial: readonly FaultRule[];
  readonly #anyOperation: boolean;
  readonly #rules = new Map<string, FaultRule>();

  /** @param anyOperation whether rules may match operations that are not in the contract, but in a document */
  constructor(initial: readonly FaultRule[] = [], anyOperation = false) {
    this.#initial = initial;
    this.#anyOperation = anyOperation;
    this.reset();
  }

  /** Whether there are no rules; if so, calls need not be identified. */
  get isEmpty(): boolean {
    return this.#rules.size === 0;
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
    const parsed = parseFaultRule(name, rule, this.#anyOperation);
    this.#rules.set(name, parsed);
    return parsed;
  }

  /** Removes a rule. Returns whether it existed. */
  delete(name: string): boolean {
    return this.#rules.delete(name);
  }

  /** Restores the initial rules. */
  reset(): void {
    this.#rules.clear();
    for (const rule of this.#initial) this.#rules.set(rule.name, rule);
  }

  /**
   * Returns the effects on a call, in their order, up to one that ends it: those of the rules that match it, and of its
   * header. Rules that have an effect count the call for `times`. If the header is invalid, no rule is counted.
   */
  take(subject: FaultSubject, header: string | undefined): readonly FaultEffect[] {
    const single = header === undefined ? [] : [parseHeader(header, subject)];
    const due = this.list().filter((rule) => isFor(rule, subject));
    const effects = toEffects([...due, ...single], subject);
    for (const rule of due) {
      const { name, times } = rule;
      if (times === undefined || !effects.some((effect) => effect.rule === rule)) continue;
      if (times === 1) this.#rules.delete(name);
      else this.#rules.set(name, { ...rule, times: times - 1 });
    }
    return effects;
  }
}

export interface FaultEffect {
  readonly rule: FaultRule;
  readonly kind: FaultKind<unknown>;
  readonly value: unknown;
}

function toEffects(rules: readonly FaultRule[], { isUpgrade }: FaultSubject): FaultEffect[] {
  const effects = KINDS.flatMap(([name, kind]) =>
    rules
      .filter((rule) => rule[name] !== undefined)
      .map((rule) => ({ rule, kind, value: rule[name] })),
  );
  const last = effects.findIndex(({ kind }) => kind.endsCall);
  if (last >= 0) return effects.slice(0, last + 1);
  return isUpgrade ? effects.filter(({ kind }) => !kind.needsBody) : effects;
}

/** Request header that applies a fault to one call, in the compact form: `latency=200,reset`. */
export const FAULT_HEADER = 'X-Mock-Fault';

function parseHeader(text: string, { surface }: FaultSubject): FaultRule {
  try {
    return { name: FAULT_HEADER, ...parseKinds(splitFields(text), KIND_NAMES, surface) };
  } catch (error) {
    if (!(error instanceof FieldError)) throw error;
    throw surfaceErrorFor('invalid', surface, { message: `${FAULT_HEADER}: ${error.message}` });
  }
}

/** A rule without `match` skips the surfaces for which its values are not valid. */
function isFor(rule: FaultRule, { surface, operationId, service }: FaultSubject) {
  const { match } = rule;
  if (KINDS.some(([name, kind]) => findProblem(kind, rule[name], surface))) return false;
  if (match === undefined || match === surface || match === operationId) return true;
  return service !== undefined && match === SERVICE + service;
}

const SERVICE = 'service:';

/** @param input an object, or the compact form: `service:hello:latency=200,times=2` */
export function parseFaultRule(name: string, input: unknown, anyOperation: boolean): FaultRule {
  const fields = typeof input === 'string' ? splitRule(input) : input;
  if (!isObject(fields)) {
    throw new FieldError(RULE, 'must be a rule, such as { "latency": 200 } or "latency=200".');
  }
  if (typeof name !== 'string' || name === '') {
    throw new FieldError('name', 'must be a non-empty string.');
  }
  if (typeof input === 'string' && 'name' in fields) {
    throw new FieldError('name', 'cannot be set in this form: pass an object.');
  }
  const { name: _, match, times, ...faults } = fields;
  const count = times === undefined ? undefined : toInteger(times, 1);
  if (times !== undefined && count === undefined) {
    throw new FieldError('times', 'must be a positive integer.');
  }
  const surface = match === undefined ? undefined : toSurface(match, anyOperation);
  return {
    name,
    ...(match !== undefined && { match: String(match) }),
    ...(count !== undefined && { times: count }),
    ...parseKinds(faults, ['match', 'times', ...KIND_NAMES], surface),
  };
}

const RULE = 'The fault';

type Fields = Record<string, unknown>;

function splitRule(text: string): Fields {
  // `service:<name>` contains a colon, and so may a value.
  const [, match, rest = ''] = /^(?:([^=]*):)?(.*)$/s.exec(text) ?? [];
  const fields = splitFields(rest);
  if (match !== undefined) fields.match = match;
  return fields;
}

/** Splits `latency=100,reset` into fields; a field without a value is true. */
function splitFields(text: string): Fields {
  const fields: Fields = Object.create(null);
  for (const part of text.split(',')) {
    const [name = '', ...value] = part.split('=').map((side) => side.trim());
    if (name === '') {
      throw new FieldError(RULE, 'must be a list of fields, such as latency=200,reset.');
    }
    if (name in fields) throw new FieldError(name, 'must not be repeated.');
    fields[name] = value.length === 0 ? true : value.join('=');
  }
  return fields;
}

const KINDS = Object.entries(FAULT_KINDS) as [keyof Fault, FaultKind<unknown>][];
const KIND_NAMES = KINDS.map(([name]) => name);

/** @param surface the only one that the fault is for */
function parseKinds(fields: Fields, known: readonly string[], surface?: SurfaceName): Fault {
  const parsed: Fields = {};
  for (const [name, input] of Object.entries(fields)) {
    const kind = KINDS.find(([kindName]) => kindName === name)?.[1];
    if (kind === undefined) throw toUnknown(name, known);
    if (input === undefined) continue;
    const value = kind.parse(input);
    const problem = value === undefined ? kind.mustBe : findProblem(kind, value, surface);
    if (problem !== undefined) throw new FieldError(name, problem);
    parsed[name] = value;
  }
  if (Object.keys(parsed).length > 0) return parsed;
  throw new FieldError(RULE, `must contain at least one of ${KIND_NAMES.join(', ')}.`);
}

function findProblem(kind: FaultKind<unknown>, value: unknown, surface: SurfaceName | undefined) {
  if (value === undefined || surface === undefined) return undefined;
  return kind.findProblem?.(value, surface);
}

/** Returns the surface that `match` refers to; undefined for an operation of a document. */
function toSurface(match: unknown, anyOperation: boolean): SurfaceName | undefined {
  const text = typeof match === 'string' ? match : '';
  const isService = text.startsWith(SERVICE);
  const surface = isService && text !== SERVICE ? 'gateway' : SURFACES.get(text);
  if (surface !== undefined || (anyOperation && text !== '' && !isService)) return surface;
  const known = [...SURFACES.keys()].join(', ');
  throw new FieldError('match', `must be service:<name>, or one of ${known}.`);
}
