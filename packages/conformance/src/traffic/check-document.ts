import type { Run } from '../context/run.ts';
import { leftOut } from '../context/skip-reason.ts';
import { isObject } from '../contract/openapi.ts';
import { checkExchange, DOCUMENT_RULES, isRefusal } from '../document/check-exchange.ts';
import { createOperationCoverage, listUnchecked, toCoverage } from '../document/coverage.ts';
import type { ApiDocument } from '../document/load-document.ts';
import { findOperation, listConstraints, listViolated, readDraft } from '../document/observe.ts';
import { listOperations, type Operation } from '../document/plan.ts';
import { splitTarget } from '../http/exchange.ts';
import { Tally, type TrafficChecker } from './tally.ts';

/** Rules about the content of a response. */
const OF_CONTENT = ['DOC-SCHEMA', 'DOC-SSE'];

/**
 * Checks calls of the operations of an OpenAPI document.
 *
 * @param url URL of the API. Default: any server with one of the base paths in the document
 */
export function createDocumentChecker(
  run: Run,
  document: ApiDocument,
  url?: string,
): TrafficChecker {
  const operations = listOperations(document);
  const tally = new Tally(run);
  const watched = new Map<Operation, ReturnType<typeof watch>>();
  const origins = new Set<string>();
  const paths = url === undefined ? listBasePaths(document) : [new URL(url).pathname];
  const bases = [...new Set(paths.map((path) => path.replace(/\/+$/, '')))];

  function watch(operation: Operation) {
    const constraints = listConstraints(document, operation);
    return { constraints, coverage: createOperationCoverage(document, operation, constraints) };
  }
  const watchOnce = (operation: Operation) => {
    const own = watched.get(operation) ?? watch(operation);
    watched.set(operation, own);
    return own;
  };

  function find(sent: { method: string; url: string }) {
    const { origin } = new URL(sent.url);
    if (url !== undefined && origin !== new URL(url).origin) return undefined;
    const { pathname } = splitTarget(sent.url);
    return bases
      .filter((base) => pathname.startsWith(`${base}/`))
      .map((base) => findOperation(operations, sent.method, pathname.slice(base.length)))
      .find((found) => found !== undefined);
  }

  return {
    check({ exchange, known, place }) {
      const found = find(exchange.sent);
      if (found === undefined) return 'not an operation of the document';
      origins.add(new URL(exchange.sent.url).origin);
      const { operation, values } = found;
      const { constraints, coverage } = watchOnce(operation);
      const draft = readDraft(document, operation, values, exchange, known);
      const violated = listViolated(document, operation, draft, constraints, known);
      for (const finding of checkExchange(document, operation, exchange, violated[0])) {
        const { rule, message, where } = finding;
        const isRead = known.has('response') || !OF_CONTENT.includes(rule);
        if (!isRead || leftOut(run, rule) !== undefined) continue;
        tally.add(
          {
            ...{ engine: 'document', id: `${rule} ${operation.id}`, level: 'must' },
            ...{ statement: DOCUMENT_RULES[rule], rules: [rule], operations: [operation.id] },
          },
          exchange,
          [message && `${place}: ${message}`],
          `${document.file}${where}`,
        );
      }
      if (!isRefusal(exchange.received)) coverage.called(draft, exchange.received, violated);
      return undefined;
    },
    results: () => tally.results(),
    coverage() {
      const unchecked = listUnchecked(document, operations).map((each) => ({
        document: document.title,
        ...each,
      }));
      const rows = operations.map((operation) => ({
        ...{ document: document.title, operation: operation.id },
        items: watchOnce(operation).coverage.items(),
      }));
      return toCoverage(rows, unchecked);
    },
    targets: () =>
      [...origins].map((origin) => ({
        ...{ api: 'document', url: url ?? origin, contract: document.title },
        version: document.version,
      })),
  };
}

/** The paths of the document's servers, and the root. */
function listBasePaths({ root }: ApiDocument): string[] {
  const servers = Array.isArray(root.servers) ? root.servers.filter(isObject) : [];
  const found = servers.flatMap(({ url }) => {
    const path = String(url).replace(/^\w+:\/\/[^/]*/, '');
    return path.includes('{') ? [] : [path.startsWith('/') ? path : `/${path}`];
  });
  return [...found, '/'];
}
