import type { Call, Principals } from '../call.ts';
import { functionOf, type SecurityHandler, type SecurityHandlers } from '../handler.ts';
import type { Route, RouteTable } from '../route-table.ts';
import { isAnswerable } from '../to-answer.ts';
import { Unauthorized } from '../unauthorized.ts';
import { type CredentialFinder, createCredentialFinder } from './credential-of.ts';
import { toChallenge } from './to-challenge.ts';

/** That nobody let the caller in, and the reason that was given first. */
export class Refusal {
  readonly reason: unknown;
  /** For `WWW-Authenticate`. */
  readonly challenge: string;

  constructor(reason: unknown, challenge: string) {
    this.reason = reason;
    this.challenge = challenge;
  }
}

/** Lets a caller in. What a security handler throws by mistake is thrown on. */
export type Guard = (call: Call) => Principals | Refusal | Promise<Principals | Refusal>;

interface Check {
  readonly name: string;
  readonly find: CredentialFinder;
  readonly handle: SecurityHandler;
  readonly scopes: readonly string[];
}

const NO_SCOPES: readonly string[] = [];

/** @throws TypeError where a scheme has no handler */
export function createGuard(
  { securitySchemes, title }: RouteTable,
  { security, scopes }: Route,
  handlers: SecurityHandlers,
): Guard | undefined {
  if (security.length === 0) return undefined;
  const alternatives = security.map((names, index) =>
    names.map((name): Check => {
      const scheme = securitySchemes[name];
      const handle = functionOf(handlers, name);
      if (!scheme) throw new TypeError(`The document has no security scheme ${name}.`);
      if (!handle)
        throw new TypeError(`options.security.${name} is missing: the document uses it.`);
      const asked = new Map(Object.entries(scopes?.[index] ?? {})).get(name) ?? NO_SCOPES;
      return { name, find: createCredentialFinder(scheme), handle, scopes: asked };
    }),
  );
  // Nobody has to be let in where `{}` is an alternative; whoever can be still is.
  alternatives.sort((a, b) => Number(a.length === 0) - Number(b.length === 0));
  const challenge = toChallenge(
    [...new Set(security.flat())].map((name) => securitySchemes[name]),
    title,
  );
  return (call) => ask(alternatives, challenge, call, 0, undefined);
}

/** Asks the alternatives from `start` on; synchronous for as long as the handlers are. */
function ask(
  alternatives: readonly (readonly Check[])[],
  challenge: string,
  call: Call,
  start: number,
  reason: unknown,
): Principals | Refusal | Promise<Principals | Refusal> {
  let first = reason;
  for (let index = start; index < alternatives.length; index += 1) {
    const checks = alternatives[index] as readonly Check[];
    const verdict = checks.length === 1 ? askOnly(checks[0] as Check, call) : askEach(checks, call);
    if (verdict === undefined) continue;
    if (verdict instanceof Promise) {
      return verdict.then((late) =>
        late instanceof Refused
          ? ask(alternatives, challenge, call, index + 1, first ?? late.reason)
          : late,
      );
    }
    if (!(verdict instanceof Refused)) return verdict;
    first ??= verdict.reason;
  }
  return new Refusal(first, challenge);
}

/** One scheme alone, as nearly every alternative is; undefined where its credential is missing. */
function askOnly(check: Check, call: Call): Verdict | Promise<Verdict> | undefined {
  const credential = check.find(call);
  if (credential === undefined) return undefined;
  let principal: unknown;
  try {
    principal = check.handle(credential, call, check.scopes);
  } catch (error) {
    return toRefused(error);
  }
  return isThenable(principal)
    ? Promise.resolve(principal).then((late) => toVerdict(check, late), toRefused)
    : toVerdict(check, principal);
}

function toVerdict({ name }: Check, principal: unknown): Verdict {
  return isRefusal(principal) ? new Refused(undefined) : { [name]: principal };
}

function askEach(checks: readonly Check[], call: Call): Verdict | Promise<Verdict> | undefined {
  const credentials = findAll(checks, call);
  return credentials && askAll(checks, credentials, call, 0, {});
}

function findAll(checks: readonly Check[], call: Call): readonly string[] | undefined {
  const credentials: string[] = [];
  for (const { find } of checks) {
    const credential = find(call);
    if (credential === undefined) return undefined;
    credentials.push(credential);
  }
  return credentials;
}

/** That one alternative refused. */
class Refused {
  readonly reason: unknown;

  constructor(reason: unknown) {
    this.reason = reason;
  }
}

type Verdict = Principals | Refused;

function askAll(
  checks: readonly Check[],
  credentials: readonly string[],
  call: Call,
  start: number,
  principals: Record<string, unknown>,
): Verdict | Promise<Verdict> {
  for (let index = start; index < checks.length; index += 1) {
    const { name, handle, scopes } = checks[index] as Check;
    let principal: unknown;
    try {
      principal = handle(credentials[index] as string, call, scopes);
    } catch (error) {
      return toRefused(error);
    }
    if (isThenable(principal)) {
      return Promise.resolve(principal).then((late) => {
        if (isRefusal(late)) return new Refused(undefined);
        principals[name] = late;
        return askAll(checks, credentials, call, index + 1, principals);
      }, toRefused);
    }
    if (isRefusal(principal)) return new Refused(undefined);
    principals[name] = principal;
  }
  return principals;
}

function toRefused(error: unknown): Refused {
  if (error instanceof Unauthorized || isAnswerable(error)) return new Refused(error);
  throw error;
}

function isRefusal(principal: unknown): boolean {
  return principal === undefined || principal === null || principal === false;
}

function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof (value as PromiseLike<unknown> | null | undefined)?.then === 'function';
}
