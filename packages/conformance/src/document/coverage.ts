import type { Received } from '../http/exchange.ts';
import { isJson, isXml } from '../http/media-type.ts';
import type { Constraint } from './break-draft.ts';
import { findContent } from './check-exchange.ts';
import { type Draft, isWritable } from './generate.ts';
import type { ApiDocument } from './load-document.ts';
import { type Content, findResponse, type Operation } from './plan.ts';
import { listPlaces, listSeen } from './schema.ts';

export const COVERAGE_TITLES = {
  ...{ operations: 'operations', parameters: 'parameters', statuses: 'statuses' },
  ...{ mediaTypes: 'media types', fields: 'fields', constraints: 'constraints', rules: 'rules' },
};

export type CoverageKind = keyof typeof COVERAGE_TITLES;

export const COVERAGE_KINDS = Object.keys(COVERAGE_TITLES) as CoverageKind[];

interface Count {
  seen: number;
  total: number;
}

interface CoverageItem {
  kind: CoverageKind;
  name: string;
  seen: boolean;
  /** Why no call of the run can cover it. Such an item does not count unless it was seen. */
  unreachable?: string;
}

/** How much of the contract, or of its OpenAPI documents, a run has covered. */
export interface Coverage extends Count {
  /** Rounded down. */
  percent: number;
  kinds: Record<CoverageKind, Count>;
  operations: {
    /** Name of the service, or title of the document. */
    document: string;
    operation: string;
    items: CoverageItem[];
  }[];
  /** What no run checks. Media types among it count as not seen. */
  unchecked: (Unchecked & { document: string })[];
}

/**
 * Records which parts of an operation the calls have covered.
 *
 * @param constraints constraints that requests can violate
 */
export function createOperationCoverage(
  document: ApiDocument,
  operation: Operation,
  constraints: readonly Constraint[],
) {
  const { parameters, body, responses } = operation;
  const fieldsOf = (pointer: string | undefined, direction: 'request' | 'response') =>
    pointer === undefined
      ? []
      : [...listPlaces(document.root, document.schemaAt(pointer, direction))]
          .filter(
            ([, { schema }]) => schema[direction === 'request' ? 'readOnly' : 'writeOnly'] !== true,
          )
          .flatMap(([name]) => name || []);
  const requestTypes = body?.content ?? [];
  const items: Record<CoverageKind, string[]> = {
    operations: [operation.id],
    parameters: parameters.map(({ key }) => key),
    statuses: responses.map(({ status }) => status),
    mediaTypes: [
      ...requestTypes.map(({ mediaType }) => `request ${mediaType}`),
      ...responses.flatMap(({ status, content }) =>
        content.map(({ mediaType }) => `${status} ${mediaType}`),
      ),
    ],
    fields: [
      ...requestTypes.flatMap(({ schema }) =>
        fieldsOf(schema, 'request').map((f) => `request ${f}`),
      ),
      ...responses.flatMap(({ status, content }) =>
        content
          .filter(({ mediaType }) => isJson(mediaType))
          .flatMap(({ schema }) => fieldsOf(schema, 'response').map((f) => `${status} ${f}`)),
      ),
    ],
    constraints: constraints.map(({ constraint }) => constraint),
    rules: [],
  };
  const known = new Set(items.fields);
  const seen = Object.fromEntries(
    COVERAGE_KINDS.map((kind) => [kind, new Set<string>()]),
  ) as Record<CoverageKind, Set<string>>;
  // A response may have any number of other fields.
  const addFields = (where: string, value: unknown) => {
    for (const field of listSeen(value)) {
      if (known.has(`${where} ${field}`)) seen.fields.add(`${where} ${field}`);
    }
  };
  return {
    /** Records a call and its response. */
    called(
      draft: Draft,
      received: Pick<Received, 'status' | 'header' | 'json'>,
      violated: readonly string[],
    ) {
      seen.operations.add(operation.id);
      for (const key of Object.keys(draft.parameters)) seen.parameters.add(key);
      for (const constraint of violated) seen.constraints.add(constraint);
      if (draft.mediaType !== undefined) seen.mediaTypes.add(`request ${draft.mediaType}`);
      addFields('request', draft.body);
      const response = findResponse(operation, received.status);
      if (response === undefined) return;
      seen.statuses.add(response.status);
      const content = findContent(response.content, received.header('content-type'));
      if (content === undefined) return;
      seen.mediaTypes.add(`${response.status} ${content.mediaType}`);
      if (!isJson(content.mediaType)) return;
      addFields(response.status, received.json);
    },
    items: (): CoverageItem[] =>
      COVERAGE_KINDS.flatMap((kind) =>
        [...new Set(items[kind])].map((name) => ({ kind, name, seen: seen[kind].has(name) })),
      ),
  };
}

export function toCoverage(
  operations: Coverage['operations'],
  unchecked: Coverage['unchecked'],
): Coverage {
  const all = operations.flatMap(({ items }) => items);
  const count = (kind?: CoverageKind): Count => {
    const own = all.filter(
      (item) =>
        (kind === undefined || item.kind === kind) && (item.seen || item.unreachable === undefined),
    );
    return { seen: own.filter(({ seen }) => seen).length, total: own.length };
  };
  const { seen, total } = count();
  return {
    ...{ seen, total, percent: total === 0 ? 100 : Math.floor((100 * seen) / total) },
    kinds: Object.fromEntries(
      COVERAGE_KINDS.map((kind) => [kind, count(kind)]),
    ) as Coverage['kinds'],
    operations,
    unchecked,
  };
}

/** Parts of a document that no run checks, and the reason. */
export interface Unchecked {
  reason: string;
  /** The operation and the part: `POST /items: request application/xml`. */
  parts: string[];
}

/** Returns what no run checks in a document, whatever its options are. */
export function listUnchecked(
  { root }: ApiDocument,
  operations: readonly Operation[],
): Unchecked[] {
  const pick = (parts: (operation: Operation) => string[]) =>
    operations.flatMap((operation) => parts(operation).map((part) => `${operation.id}: ${part}`));
  const requests = ({ body }: Operation, isMeant: (content: Content) => boolean) =>
    (body?.content ?? []).filter(isMeant).map(({ mediaType }) => `request ${mediaType}`);
  const xml = ({ mediaType, schema }: Content) => schema !== undefined && isXml(mediaType);
  const found: Unchecked[] = [
    {
      reason: 'XML bodies are neither sent nor validated',
      parts: pick((operation) => [
        ...requests(operation, ({ mediaType }) => isXml(mediaType)),
        ...operation.responses.flatMap(({ status, content }) =>
          content.filter(xml).map(({ mediaType }) => `${status} ${mediaType}`),
        ),
      ]),
    },
    {
      reason: 'requests of these media types are not generated',
      parts: pick((operation) =>
        requests(operation, ({ mediaType }) => !isXml(mediaType) && !isWritable(mediaType)),
      ),
    },
    {
      reason: 'parameters that are the entire query are not sent',
      parts: pick(({ querystrings }) => querystrings.map((name) => `querystring ${name}`)),
    },
    {
      reason: 'the suite does not receive callbacks',
      parts: pick(({ callbacks }) => callbacks),
    },
    {
      reason: 'the suite does not receive webhooks',
      parts: Object.keys(Object(root.webhooks)),
    },
  ];
  return found.filter(({ parts }) => parts.length > 0);
}

/** Parts that a line of text names; reports list all of them. */
const MOST_NAMED = 3;

export function toUncheckedLine({ reason, parts }: Unchecked): string {
  const more = parts.length - MOST_NAMED;
  const named = parts.slice(0, MOST_NAMED).join(', ');
  return `${named}${more > 0 ? ` and ${more} more` : ''}: ${reason}`;
}
