import { listOperations, type Operation } from '../../src/contract/contract.ts';
import { documents } from '../../src/contract/documents.ts';
import type { Asked } from './exchange.ts';

export const OPERATIONS: readonly Operation[] = listOperations(documents);

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
export function goodRequest({ id, document, method, path, body }: Operation): Asked {
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
    body: JSON.stringify(bodyExample(id)),
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

function bodyExample(id: string): unknown {
  const [first] = Object.values(requestExamples(id));
  return first;
}

/** Returns the named examples of an operation's JSON body. */
export function requestExamples(id: string): Record<string, unknown> {
  return valuesOf(operationOf(id).requestBody?.content['application/json']?.examples);
}

export interface Documented {
  /** `200`, `4XX`, `default` */
  readonly key: string;
  /** Names of the examples, by content type. */
  readonly examples: Readonly<Record<string, readonly string[]>>;
}

export function documentedResponses(id: string): Documented[] {
  return Object.entries(operationOf(id).responses).map(([key, { content = {} }]) => ({
    key,
    examples: Object.fromEntries(
      Object.entries(content).map(([type, { examples }]) => [type, Object.keys(examples ?? {})]),
    ),
  }));
}

function operationOf(id: string) {
  const { document, path, method } = OPERATIONS.find((one) => one.id === id) as Operation;
  const operation = documents[document].paths[path]?.[method];
  if (operation === undefined) throw new TypeError(`There is no operation ${id}.`);
  return operation;
}

function valuesOf(examples: Readonly<Record<string, object>> = {}): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(examples).map(([name, { value }]: [string, { value?: unknown }]) => [
      name,
      value,
    ]),
  );
}
