import type { Received } from '../http/exchange.ts';
import { isJson } from '../http/media-type.ts';
import type { Constraint } from './break-draft.ts';
import { findContent } from './check-exchange.ts';
import type { Draft } from './generate.ts';
import type { ApiDocument } from './load-document.ts';
import { findResponse, type Operation } from './plan.ts';
import { listPlaces, listSeen } from './schema.ts';
import type { Unchecked } from './unchecked.ts';

export const COVERAGE_KINDS = [
  'operations',
  'parameters',
  'statuses',
  'mediaTypes',
  'fields',
  'constraints',
  'rules',
] as const;

export type CoverageKind = (typeof COVERAGE_KINDS)[number];

export const COVERAGE_TITLES: Record<CoverageKind, string> = {
  operations: 'operations',
  parameters: 'parameters',
  statuses: 'statuses',
  mediaTypes: 'media types',
  fields: 'fields',
  constraints: 'constraints',
  rules: 'rules',
};

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

/** The parts of a response that coverage depends on. */
type Seen = Pick<Received, 'status' | 'header' | 'json'>;

/** Records which parts of an operation the calls have covered. */
export interface OperationCoverage {
  /** Records a call and its response. */
  called(draft: Draft, received: Seen, violated: readonly string[]): void;
  items(): Coverage['operations'][number]['items'];
}

/**
 * Creates an empty coverage record for an operation.
 *
 * @param constraints constraints that requests can violate
 */
export function createOperationCoverage(
  document: ApiDocument,
  operation: Operation,
  constraints: readonly Constraint[],
): OperationCoverage {
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
    called(draft, received, violated) {
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
    items: () =>
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
