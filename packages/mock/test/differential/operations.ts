import { type Operation, standardContract } from '../../src/contract/contract.ts';
import type { Asked } from './exchange.ts';

export const OPERATIONS: readonly Operation[] = standardContract.operations;

export const CREDENTIALS = {
  gateway: { authorization: 'Bearer any' },
  storage: { 'x-svc-authorization': '1.0 any', 'x-svc-timestamp': '1700000000' },
} as const;

const VALUES: Readonly<Record<string, string>> = { name: 'hello', anyPath: 'abc', envId: 'dev' };
const BOUNDARY = 'boundary';

/** Fields of an upload; in the contract, the form determines the status of a success. */
export const FORM = {
  success_action_status: '200',
  Signature: 'q-sign-algorithm=sha256&q-signature=6f1ed002',
  'x-store-security-token': '8c1f0e5b',
  'x-store-meta-fileid': 'HDJhY2NlNTIyNzk',
  key: 'reports/summary.txt',
  file: 'Hello from Berth.',
} as const;

/** Returns a valid request for an operation, with the contract's first example as its body. */
export function goodRequest(operation: Operation): Asked {
  const { id, document, method, path, body } = operation;
  const common = {
    document,
    method: method.toUpperCase(),
    path: path.replace(/\{(\w+)\}/g, (_, name) => VALUES[name] ?? ''),
  };
  if (id === 'uploadFile') {
    const headers = { 'content-type': `multipart/form-data; boundary=${BOUNDARY}` };
    return { ...common, headers, body: toForm(FORM) };
  }
  const headers = CREDENTIALS[document];
  if (body === undefined) return { ...common, headers };
  return {
    ...common,
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify(requestExamples(operation)[0]),
  };
}

/** A multipart form (RFC 7578); the `file` field is a file. */
export function toForm(fields: Readonly<Record<string, string>>): string {
  const parts = Object.entries(fields).map(([name, value]) => {
    const file = name === 'file' ? '; filename="a.txt"\r\nContent-Type: text/plain' : '';
    return `--${BOUNDARY}\r\nContent-Disposition: form-data; name="${name}"${file}\r\n\r\n${value}\r\n`;
  });
  return `${parts.join('')}--${BOUNDARY}--\r\n`;
}

/** Returns the named examples of an operation's JSON body. */
function requestExamples({ request }: Operation): unknown[] {
  const examples = Object.values(request['application/json']?.examples ?? {});
  return examples.map((example) => (example as { value?: unknown }).value);
}

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
