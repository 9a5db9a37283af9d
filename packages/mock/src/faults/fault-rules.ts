import { gatewayRoutes, storageRoutes } from '@berth/server-stubs/contract';
import { type SurfaceName, surfaceErrorFor } from '../surface.ts';
import { FieldError, isObject, toInteger, toUnknown } from '../user-input.ts';
import { CODES, FAULT_KINDS, type Fault, type FaultKind } from './fault-kinds.ts';

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
}

/** The surfaces of the contract's operations, by `operationId`. */
const OPERATIONS = new Map<string, SurfaceName>();
for (const { operationId } of gatewayRoutes.routes) OPERATIONS.set(operationId, 'gateway');
for (const { operationId } of storageRoutes.routes) OPERATIONS.set(operationId, 'storage');
OPERATIONS.set('uploadFile', 'upload');

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
   * header. Rules that have an effect count the call for `times`. If the header is invalid, none does.
   */
  take(subject: FaultSubject, header: string | undefined): readonly FaultEffect[] {
    const single = header === undefined ? [] : [parseHeader(header, subject)];
    const due = this.list().filter((rule) => isFor(rule, subject));
    const effects = toEffects([...due, ...single]);
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

function toEffects(rules: readonly FaultRule[]): FaultEffect[] {
  const effects = KIND_NAMES.flatMap((name) =>
    rules
      .filter((rule) => rule[name] !== undefined)
      .map((rule) => ({ rule, kind: FAULT_KINDS[name] as FaultKind<unknown>, value: rule[name] })),
  );
  const last = effects.findIndex(({ kind }) => kind.endsCall);
  return last < 0 ? effects : effects.slice(0, last + 1);
}

/** Request header that applies a fault to one call, in the compact form: `latency=200,reset`. */
export const FAULT_HEADER = 'X-Mock-Fault';

function parseHeader(text: string, { surface }: FaultSubject): FaultRule {
  try {
    const fault = parseKinds(splitFields(text), KIND_NAMES);
    assertCode(fault, surface, surface);
    return { name: FAULT_HEADER, ...fault };
  } catch (error) {
    if (!(error instanceof FieldError)) throw error;
    throw surfaceErrorFor('invalid', surface, { message: `${FAULT_HEADER}: ${error.message}` });
  }
}

/** A rule with a `code` only applies to surfaces whose error table has that code. */
function isFor({ match, code }: FaultRule, { surface, operationId, service }: FaultSubject) {
  if (code !== undefined && !CODES[surface].includes(code)) return false;
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
  const { name: _, match, times, ...faults } = fields;
  const count = times === undefined ? undefined : toInteger(times, 1);
  if (times !== undefined && count === undefined) {
    throw new FieldError('times', 'must be a positive integer.');
  }
  const fault = parseKinds(faults, ['match', 'times', ...KIND_NAMES]);
  const surface = match === undefined ? undefined : toSurface(match, anyOperation);
  if (surface !== undefined) assertCode(fault, surface, String(match));
  return {
    name,
    ...(match !== undefined && { match: String(match) }),
    ...(count !== undefined && { times: count }),
    ...fault,
  };
}

const RULE = 'The fault';

function splitRule(text: string): Record<string, unknown> {
  // `service:<name>` contains a colon; the fields never do.
  const colon = text.lastIndexOf(':');
  const fields = splitFields(text.slice(colon + 1));
  if (colon >= 0) fields.match = text.slice(0, colon);
  return fields;
}

/** Splits `latency=100,reset` into fields; a field without a value is true. */
function splitFields(text: string): Record<string, unknown> {
  const fields: Record<string, unknown> = Object.create(null);
  for (const part of text.split(',')) {
    const [name = '', ...value] = part.split('=').map((side) => side.trim());
    if (name === '') {
      throw new FieldError(RULE, 'must be a list of fields, such as latency=200,reset.');
    }
    fields[name] = value.length === 0 ? true : value.join('=');
  }
  return fields;
}

const KIND_NAMES = Object.keys(FAULT_KINDS) as readonly (keyof Fault)[];

function parseKinds(fields: Readonly<Record<string, unknown>>, known: readonly string[]): Fault {
  const parsed: Record<string, unknown> = {};
  for (const [name, input] of Object.entries(fields)) {
    const kind = KIND_NAMES.find((kindName) => kindName === name);
    if (kind === undefined) throw toUnknown(name, known);
    if (input === undefined) continue;
    const value = FAULT_KINDS[kind].parse(input);
    if (value === undefined) throw new FieldError(name, FAULT_KINDS[kind].mustBe);
    parsed[name] = value;
  }
  if (Object.keys(parsed).length > 0) return parsed;
  throw new FieldError(RULE, `must contain at least one of ${KIND_NAMES.join(', ')}.`);
}

/** Returns the surface that `match` refers to; undefined for an operation of a document. */
function toSurface(match: unknown, anyOperation: boolean): SurfaceName | undefined {
  const surfaces = Object.keys(CODES) as SurfaceName[];
  const text = typeof match === 'string' ? match : '';
  const isService = text.startsWith(SERVICE) && text.length > SERVICE.length;
  const surface =
    surfaces.find((name) => name === text) ?? (isService ? 'gateway' : OPERATIONS.get(text));
  if (surface !== undefined || (anyOperation && text !== '' && !text.includes(':'))) return surface;
  const known = [...surfaces, ...OPERATIONS.keys()].join(', ');
  throw new FieldError('match', `must be service:<name>, or one of ${known}.`);
}

function assertCode({ code }: Fault, surface: SurfaceName, subject: string): void {
  if (code === undefined || CODES[surface].includes(code)) return;
  const codes = CODES[surface].join(', ');
  throw new FieldError('code', `must be an error code of ${subject}: ${codes}.`);
}
