import { toEnding } from '../context/skip-reason.ts';
import type { Exchange } from '../http/exchange.ts';
import type { Result } from '../result.ts';
import { type Breaker, listBreakers } from './break-draft.ts';
import { checkExchange, type Finding, isRefusal } from './check-exchange.ts';
import { type Coverage, createOperationCoverage } from './coverage.ts';
import { createGenerator, type Draft, type Generator, isWritable, shrink } from './generate.ts';
import { isSafe, type Operation } from './plan.ts';
import { addressesFor, type Session } from './session.ts';

/** Limits on the search for a smaller request, in calls and in milliseconds. */
const MOST_SHRINKS = 40;
const LONGEST_SHRINK = 5000;
/** Maximum number of known items that requests are made for. */
const MOST_ADDRESSES = 2;

/** Returns why an operation is not called, or `undefined` if it is called. */
export function operationSkipReason(
  {
    run: { settings },
    service,
  }: { run: Pick<Session['run'], 'settings'>; service: string | undefined },
  { method, body }: Operation,
): string | undefined {
  const forwarded = ['GET', 'HEAD', 'POST'];
  if (service !== undefined && !forwarded.includes(method)) {
    return `the gateway does not forward ${method}`;
  }
  const isAllowed = settings.allowWrites && !settings.readOnly;
  if (!isSafe(method) && !isAllowed) return settings.readOnly ? '--read-only' : 'no --allow-writes';
  const types = body?.required ? body.content.map(({ mediaType }) => mediaType) : [];
  if (types.length > 0 && !types.some(isWritable))
    return `no body can be generated for ${types.join(' or ')}`;
  return undefined;
}

/** Calls an operation with valid and invalid requests, and checks every response. */
export async function checkOperation(
  session: Session,
  operation: Operation,
): Promise<Coverage['operations'][number]['items']> {
  const { document, run, results, succeeded } = session;
  const generator = createGenerator(document, operation, run.settings.seed);
  const status = results.resultOf('DOC-STATUS', operation.id);
  status.notes.push(...listUnusable(document, operation));
  let requests: Requests;
  try {
    requests = chooseRequests(document, operation, generator, run.settings);
  } catch (error) {
    Object.assign(status, toEnding(error, run));
    return createOperationCoverage(document, operation, []).items();
  }
  const { valid, breakers, constraints } = requests;
  const coverage = createOperationCoverage(document, operation, constraints);
  const drafts = address(session, operation, generator, valid);
  const reason =
    operationSkipReason(session, operation) ??
    (drafts
      ? undefined
      : 'this run created no item that it may change, and the document has no example of such an item');
  if (drafts === undefined || reason !== undefined) {
    Object.assign(status, { outcome: 'disabled', reason });
    return coverage.items();
  }

  const statuses = new Set<number>();
  const call = async (draft: Draft, base: Draft, breaker?: Breaker): Promise<Exchange> => {
    const exchange = await session.send(operation, draft);
    const { received } = exchange;
    statuses.add(received.status);
    if (!isRefusal(received)) {
      coverage.called(draft, received, breaker ? [breaker.constraint] : []);
    }
    for (const finding of checkExchange(document, operation, exchange, breaker?.constraint)) {
      const result = results.add(operation, finding, exchange);
      if (result) await minimize(result, finding, base, breaker);
    }
    return exchange;
  };

  /** Replaces the evidence of a failure with the smallest request that fails in the same way. */
  const minimize = async (
    result: Result,
    { rule }: Finding,
    failing: Draft,
    breaker?: Breaker,
  ): Promise<void> => {
    const until = Date.now() + LONGEST_SHRINK;
    let calls = 0;
    let isSmaller = true;
    for (let base = failing; isSmaller; ) {
      isSmaller = false;
      for (const candidate of shrink(base)) {
        if (calls >= MOST_SHRINKS || Date.now() > until) return;
        const draft = generator.isValid(candidate) && (breaker?.apply(candidate) ?? candidate);
        if (!draft || (breaker && draft === candidate)) continue;
        calls += 1;
        const exchange = await session.send(operation, draft);
        const again = checkExchange(document, operation, exchange, breaker?.constraint).find(
          (each) => each.rule === rule && each.message !== undefined,
        );
        if (again === undefined) continue;
        results.replaceLast(result, again, exchange);
        base = candidate;
        isSmaller = true;
        break;
      }
    }
  };

  try {
    const [first] = drafts;
    for (const draft of drafts) {
      const exchange = await call(draft, draft);
      if (exchange.received.status < 300 && !succeeded.has(operation)) {
        succeeded.set(operation, { draft, exchange });
      }
    }
    const base = succeeded.get(operation)?.draft ?? first;
    for (const breaker of base ? breakers : []) {
      const draft = breaker.apply(base as Draft);
      if (draft) await call(draft, base as Draft, breaker);
    }
    describe(status, [...statuses], first);
  } catch (error) {
    Object.assign(status, toEnding(error, run));
  }
  return coverage.items();
}

/**
 * Sends requests to items that exist. Requests that change an item are sent only to items that the run
 * created or that appear in examples. Returns `undefined` if there are none.
 */
function address(
  session: Session,
  operation: Operation,
  generator: Generator,
  drafts: readonly Draft[],
): Draft[] | undefined {
  const inPath = operation.parameters.filter((parameter) => parameter.in === 'path');
  const [first = { parameters: {} }] = drafts;
  const known = addressesFor(session, operation).slice(0, MOST_ADDRESSES);
  const move = (draft: Draft, to: object) => ({
    ...draft,
    parameters: { ...draft.parameters, ...to },
  });
  if (isSafe(operation.method) || inPath.length === 0) {
    const moved = known.map((to) => move(first, to)).filter(generator.isValid);
    return [...moved, ...drafts].slice(0, Math.max(drafts.length, moved.length));
  }
  const named = inPath.every(({ examples }) => examples.length > 0)
    ? [Object.fromEntries(inPath.map(({ key, examples }) => [key, examples[0]]))]
    : [];
  const allowed = known.length > 0 ? known : named;
  if (allowed.length === 0) return undefined;
  const moved = drafts.map((draft, at) => move(draft, allowed[at % allowed.length] as object));
  const distinct = new Map(moved.map((draft) => [JSON.stringify(draft), draft]));
  return [...distinct.values()].filter(generator.isValid);
}

/** Returns a note for each response whose schema cannot be used. */
function listUnusable(document: Session['document'], { responses }: Operation): string[] {
  const pointers = responses
    .flatMap(({ content, headers }) => [...content, ...headers])
    .flatMap(({ schema }) => schema ?? []);
  return [...new Set(pointers)].flatMap((pointer) => {
    try {
      document.validate(pointer, 'response', undefined);
      return [];
    } catch (error) {
      return `not checked: ${(error as Error).message}`;
    }
  });
}

interface Requests {
  valid: Draft[];
  breakers: Breaker[];
  /** All constraints that a request can violate. */
  constraints: Breaker[];
}

/** Chooses the requests for an operation. At most two thirds of them violate a constraint. */
export function chooseRequests(
  document: Session['document'],
  operation: Operation,
  generator: Generator,
  { maxRequests, seed }: Pick<Session['run']['settings'], 'maxRequests' | 'seed'>,
): Requests {
  const all = listBreakers(document, operation, generator);
  const count = Math.min(all.length, Math.floor((maxRequests * 2) / 3));
  return {
    valid: generator.valid(maxRequests - count),
    breakers: choose(all, count, seed),
    constraints: all,
  };
}

/** Chooses constraints that are spread evenly over the list. The seed determines which ones. */
function choose(breakers: readonly Breaker[], count: number, seed: number): Breaker[] {
  const step = breakers.length / Math.max(1, count);
  const start = Math.abs(seed) % Math.max(1, Math.floor(step));
  return Array.from({ length: count }, (_, at) => breakers[Math.floor(at * step) + start]).filter(
    (breaker) => breaker !== undefined,
  );
}

/** Explains a result that proves little, such as one without a successful request. */
function describe(result: Result, statuses: readonly number[], first: Draft | undefined): void {
  if (result.assertions > 0) {
    if (statuses.some((status) => status < 400)) return;
    result.notes.push(
      `no request succeeded (${statuses.join(', ')}); add examples of existing values to the document`,
    );
    return;
  }
  result.outcome = 'skip';
  const refusal = statuses.find((status) => isRefusal({ status }));
  if (first === undefined) result.reason = 'no valid request can be generated; add an example';
  else if (refusal === undefined) result.outcome = 'pass';
  else {
    result.reason = `the target rejected the credentials with ${refusal}; see --header and --gateway-token`;
  }
}
