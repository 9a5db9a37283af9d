import { type Transaction, transactions } from '../contract/catalog.ts';
import { type Call, readAll, toHeaderList } from '../http/exchange.ts';
import { toGatewayCall, toStorageCall } from '../run/clients.ts';
import type { Run } from '../run/run.ts';

/** What hooks read and change of a transaction (https://dredd.org/en/latest/data-structures.html). */
export interface DreddTransaction {
  readonly origin: { readonly actionName: string };
  readonly request: {
    readonly method: string;
    readonly uri: string;
    headers: Record<string, string>;
    body: string;
  };
  expected: { statusCode: string; headers: Record<string, string> };
  real?: {
    statusCode: number;
    headers: Readonly<Record<string, string | string[]>>;
    body?: string;
    bodyEncoding?: 'utf-8' | 'base64';
  };
  protocol: string;
  host: string;
  port: string;
  fullPath: string;
  skip: boolean;
  fail?: string | undefined;
  readonly test?: { readonly valid?: boolean; readonly message?: string };
}

/** Returns the documented response that a transaction of Dredd is about. The summaries in OpenAPI 3.0 are operationIds. */
export function findTransaction({ origin, expected }: DreddTransaction): Transaction | undefined {
  const [type] = readAll(toHeaderList(expected.headers), 'content-type');
  return transactions.find(
    ({ documented: { operationId, status, contentType } }) =>
      operationId === origin.actionName && status === expected.statusCode && contentType === type,
  );
}

/** Adapts an example request of Dredd. Storage calls use `fileId`, which the deployment has issued, if there is one. */
export function prepareCall(
  { documented: { api, operationId, status, contentType } }: Transaction,
  { method, uri, body, ...request }: DreddTransaction['request'],
  run: Run,
  fileId: string | undefined,
): Call {
  const headers = toHeaderList(request.headers);
  if (api === 'storage') {
    // A body without its required fields is rejected (D30).
    const fields = status === '400' ? {} : replacePaths(body, run, fileId);
    return toStorageCall(run, operationId, fields, { method, headers });
  }
  const [, examplePath = ''] = /^\/v1\/cloudrun\/[^/?]*(.*)$/.exec(uri) ?? [];
  const path = contentType === 'text/plain' ? TEXT_PATH : examplePath;
  const services: Record<string, string | undefined> = {
    // A name outside the pattern is rejected (D6).
    400: `0${run.id}-`,
    403: run.settings.forbiddenService,
    404: run.uniqueName(),
  };
  const { [status]: service = run.settings.service } = services;
  return toGatewayCall(run, { method, headers, body, path, service });
}

/** What the fixture service is asked to send if plain text is documented: `Hello.` */
const TEXT_PATH = '/respond?type=text%2Fplain&body64=SGVsbG8u';

/** Each string in a storage request is a path or a file ID. The new ones are in this run's folder. */
function replacePaths(body: string, run: Run, fileId?: string): object {
  const folder = run.newFolder('dredd');
  return JSON.parse(body, (_, value) => {
    if (typeof value !== 'string') return value;
    const [, prefix = '', path = ''] = /^(\w+:\/\/[^/]*\/|\/?)(.*)$/s.exec(value) ?? [];
    return prefix.includes('://') && fileId !== undefined ? fileId : `${prefix}${folder}/${path}`;
  });
}
