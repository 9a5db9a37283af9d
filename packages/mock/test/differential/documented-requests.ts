import type { Operation } from '../../src/contract/contract.ts';
import type { Asked } from './exchange.ts';
import { goodRequest, OPERATIONS, requestExamples } from './operations.ts';

/** Statuses to use for a documented range, or for `default`. */
const STATUSES: Readonly<Record<string, readonly number[]>> = {
  '2XX': [200, 204],
  '4XX': [400, 401, 403, 404, 413, 429],
  default: [402, 500, 502, 503, 504],
};

/** Media types that callers accept. */
const ACCEPTED = [
  undefined,
  '*/*',
  'application/json',
  'text/plain',
  'text/event-stream',
  'application/xml',
  'image/png',
  'text/html, application/json;q=0.5',
  'text/event-stream, text/plain;q=0.1',
];

/**
 * Requests for every operation, with every example of a body, status, example and content type of its
 * responses.
 */
export function documentedRequests(): Asked[] {
  return OPERATIONS.flatMap((operation) => {
    const good = goodRequest(operation);
    return [
      ...requestExamples(operation).map((body) => ({ ...good, body: JSON.stringify(body) })),
      ...ACCEPTED.map((accept) => withHeaders(good, { accept })),
      ...Object.entries(operation.responses).flatMap(([key, response]) =>
        preferring(good, key, response),
      ),
    ];
  });
}

function preferring(good: Asked, key: string, { content = {} }: Operation['responses'][string]) {
  const codes = STATUSES[key] ?? [Number(key)];
  const types = Object.entries(content).map(
    ([type, { examples = {} }]) => [type, Object.keys(examples)] as const,
  );
  const [, names = []] = types.find(([type]) => type === 'application/json') ?? [];
  return codes.flatMap((code) => [
    withHeaders(good, { prefer: `code=${code}` }),
    ...types.flatMap(([accept, examples]) => [
      withHeaders(good, { prefer: `code=${code}`, accept }),
      ...[...examples, 'none'].map((example) =>
        withHeaders(good, { prefer: `code=${code}, example=${example}`, accept }),
      ),
    ]),
    ...(key === '200' ? names : []).map((example) =>
      withHeaders(good, { prefer: `example=${example}` }),
    ),
  ]);
}

function withHeaders(asked: Asked, more: Readonly<Record<string, string | undefined>>): Asked {
  const given = Object.entries({ ...asked.headers, ...more });
  const headers = Object.fromEntries(
    given.filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
  return { ...asked, headers };
}
