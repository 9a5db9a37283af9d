import { parseEvents } from '../checks/support/events.ts';
import { createRunCaller, type Run } from '../context/run.ts';
import { toEvidence } from '../context/to-evidence.ts';
import { isObject } from '../contract/openapi.ts';
import type { Signer } from '../credentials/create-signers.ts';
import type { OpenExchange } from '../http/caller.ts';
import {
  type Call,
  type Exchange,
  readAll,
  toHeaderList,
  toReceived,
  toSentSize,
  withHeaders,
} from '../http/exchange.ts';
import { toMediaType } from '../http/media-type.ts';
import { startTimer } from '../http/start-timer.ts';
import { createResult, type Result } from '../result.ts';
import { DOCUMENT_RULES, type DocumentRule, EVENT_STREAM, type Finding } from './check-exchange.ts';
import type { Draft } from './generate.ts';
import type { ApiDocument } from './load-document.ts';
import { isSafe, type Operation } from './plan.ts';
import { writeRequest } from './write-request.ts';

/** Limits for reading an event stream: a number of events, and a time in milliseconds. */
const MOST_EVENTS = 5;
const LONGEST_STREAM = 3000;
const MOST_FINDINGS = 5;
/** Maximum number of items in a collection whose IDs are used. */
const MOST_ITEMS = 5;

/** A deployment of the API that a document describes. */
export interface Deployment {
  document: ApiDocument;
  /** Name of the hosted service; `undefined` if the API is called directly. */
  service: string | undefined;
  /** URL to which the paths of the document are appended. */
  url: string;
}

/** Values of the path parameters that identify an existing item. */
export type Address = Record<string, unknown>;

/** State that all checks of a deployment share. */
export interface Session extends Deployment {
  run: Run;
  operations: Operation[];
  /** Calls the deployment's URL, without a path from the document. */
  probe(): Promise<Exchange>;
  send(operation: Operation, draft: Draft): Promise<Exchange>;
  /**
   * Items that responses have listed, and items that this run has created, by the path template of an item.
   */
  listed: Map<string, Address[]>;
  created: Map<string, Address[]>;
  /** A successful call for each operation that has one. */
  succeeded: Map<Operation, { draft: Draft; exchange: Exchange }>;
  results: Results;
}

export function createSession(run: Run, deployment: Deployment, operations: Operation[]): Session {
  const { settings } = run;
  const listed = new Map<string, Address[]>();
  const created = new Map<string, Address[]>();
  const caller = createRunCaller(run);
  const isService = deployment.service !== undefined;
  const { module, bearer, signature } = run.signers.gateway;
  const sign: Signer | undefined = isService ? (module ?? bearer ?? signature) : undefined;
  const host = isService && settings.gatewayHost ? ([['Host', settings.gatewayHost]] as const) : [];
  const results = new Results(deployment);
  const make = async (call: Call): Promise<Exchange> => {
    const own = withHeaders([...host, ...call.headers], toHeaderList(settings.headers));
    const unsigned = { ...call, url: call.origin + call.target, headers: own };
    const headers = withHeaders(own, (await sign?.(unsigned)) ?? []);
    const open = await caller.open({ ...call, headers });
    return readExchange(open, Math.min(settings.timeout, LONGEST_STREAM));
  };
  return {
    ...deployment,
    ...{ run, operations, listed, created, results, succeeded: new Map() },
    probe() {
      const { origin, pathname } = new URL(deployment.url);
      return make({ method: 'GET', origin, target: pathname, headers: [], body: Buffer.alloc(0) });
    },
    async send(operation, draft) {
      const exchange = await make(await writeRequest(deployment.url, operation, draft));
      const { status, json } = exchange.received;
      if (status < 300 && ['GET', 'POST'].includes(operation.method)) {
        const pool = operation.method === 'GET' ? listed : created;
        for (const item of operations.filter(({ path }) => toCollection(path) === operation.path)) {
          const known = pool.get(item.path) ?? [];
          const found = findAddresses(operation, item, draft, json);
          const all = new Map([...known, ...found].map((each) => [JSON.stringify(each), each]));
          // All created items are kept, because they are removed at the end.
          const most = pool === created ? all.size : MOST_ITEMS;
          pool.set(item.path, [...all.values()].slice(0, most));
        }
      }
      return exchange;
    },
  };
}

async function readExchange(open: OpenExchange, longest: number): Promise<Exchange> {
  const { sent, status, headers } = open;
  const isStream = toMediaType(readAll(headers, 'content-type')[0] ?? '') === EVENT_STREAM;
  const chunks: Buffer[] = [];
  let isOver = false;
  const end = () => {
    isOver = true;
    open.close();
  };
  const stop = isStream ? startTimer(longest, end) : () => {};
  try {
    for await (const chunk of open.chunks) {
      chunks.push(chunk);
      if (isStream && parseEvents(Buffer.concat(chunks).toString()).length >= MOST_EVENTS) break;
    }
  } catch (error) {
    // The events that have arrived in time are checked.
    if (!isOver) throw error;
  } finally {
    stop();
    open.close();
  }
  return { sent, received: toReceived(status, headers, Buffer.concat(chunks)) };
}

/** Returns the path of the collection that an item belongs to: `/items` for `/items/{id}`. */
export function toCollection(path: string): string | undefined {
  return /^(.*)\/\{[^/{}]+\}$/.exec(path)?.[1];
}

/**
 * Returns the addresses of the items in a response, which is a list, an object that contains a list, or a
 * single item.
 */
export function findAddresses(
  { path }: Operation,
  item: Operation,
  { parameters }: Draft,
  json: unknown,
): Address[] {
  const [, name = ''] = /\{([^/{}]+)\}$/.exec(item.path) ?? [];
  const isItem = isObject(json) && (name in json || 'id' in json);
  const lists = isItem ? [[json]] : [json, ...Object.values(Object(json))].filter(Array.isArray);
  const above = Object.entries(parameters).filter(([key]) => path.includes(`{${key.slice(5)}}`));
  return (lists[0] ?? []).filter(isObject).flatMap((each) => {
    const id = each[name] ?? each.id;
    const isId = (typeof id === 'string' && id !== '') || typeof id === 'number';
    return isId ? [{ ...Object.fromEntries(above), [`path ${name}`]: id }] : [];
  });
}

/**
 * Returns the known items that an operation can be called with. Items that the run did not create are never
 * changed.
 */
export function addressesFor({ listed, created }: Session, { path, method }: Operation): Address[] {
  const item = path.slice(0, path.lastIndexOf('}') + 1);
  const own = created.get(item) ?? [];
  return isSafe(method) ? [...own, ...(listed.get(item) ?? [])] : own;
}

/** Collects findings into one result for each rule and operation. */
class Results {
  readonly #deployment: Deployment;
  readonly #results = new Map<string, Result>();
  readonly #started = performance.now();

  constructor(deployment: Deployment) {
    this.#deployment = deployment;
  }

  /** Adds a finding, with its call as evidence. Returns the result only if the finding is new. */
  add(
    { id }: Operation,
    { rule, message, where }: Finding,
    exchange: Exchange,
  ): Result | undefined {
    const result = this.resultOf(rule, id);
    result.assertions += 1;
    result.requests += 1;
    result.bytes += toSentSize(exchange.sent);
    if (message === undefined) return undefined;
    result.outcome = 'fail';
    const place = this.#deployment.document.file + where;
    const isKnown = result.findings.some((each) => each.where === place);
    if (isKnown || result.findings.length >= MOST_FINDINGS) return undefined;
    result.findings.push({ message, where: place, ...toEvidence(exchange) });
    return result;
  }

  replaceLast(result: Result, { message = '', where }: Finding, exchange: Exchange): void {
    const place = this.#deployment.document.file + where;
    result.findings.splice(-1, 1, { message, where: place, ...toEvidence(exchange) });
  }

  resultOf(rule: DocumentRule, operation: string): Result {
    const { service } = this.#deployment;
    const id = [rule, service, operation].filter(Boolean).join(' ');
    const known = this.#results.get(id);
    if (known !== undefined) return known;
    const result = createResult({
      ...{ engine: 'document', id, level: 'must', statement: DOCUMENT_RULES[rule], rules: [rule] },
      operations: [operation],
    });
    this.#results.set(id, result);
    return result;
  }

  /** Removes and returns the matching results. */
  take(isWanted: (result: Result) => boolean): Result[] {
    const wanted = [...this.#results.values()].filter(isWanted);
    for (const { id } of wanted) this.#results.delete(id);
    const durationMs = Math.round(performance.now() - this.#started);
    return wanted.map((result) => ({ ...result, durationMs }));
  }
}
