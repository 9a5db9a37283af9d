import { createRequire } from 'node:module';
import gateway from '@berth/spec/gateway.v1.openapi30.json' with { type: 'json' };
import storage from '@berth/spec/storage.v2.openapi30.json' with { type: 'json' };
import { toGatewayCall } from '../context/gateway-client.ts';
import { FOLDER, type Run } from '../context/run.ts';
import { findExclusion, findObstacle, type Need } from '../context/skip-reason.ts';
import { changesFiles, toStorageCall } from '../context/storage-client.ts';
import {
  APIS,
  type Api,
  type DocumentedResponse,
  documents,
  findResponses,
  listResponses,
  type OpenapiDocument,
  toContract,
} from '../contract/openapi.ts';
import { type Call, readAll, toHeaderList } from '../http/exchange.ts';
import { createResult, disabled, type Result, type SkipReason } from '../result.ts';

/** The contract in OpenAPI 3.0, which Dredd needs. */
export const copies = { gateway, storage } as unknown as Record<Api, OpenapiDocument>;

/** A documented response that Dredd requests. */
export interface Transaction extends DocumentedResponse {
  /** `storage batchDelete 200 application/json` */
  name: string;
  /** Where the document in OpenAPI 3.1 defines it. */
  place: string;
}

const contract = toContract();

/** The documented responses that Dredd can request. The others are left to the checks for individual rules. */
export const transactions: readonly Transaction[] = APIS.flatMap((api) =>
  listResponses(api, copies[api]).flatMap((documented) => {
    const { operationId, status, contentType } = documented;
    // No request causes a 500 on an arbitrary deployment, and the fixture service accepts commands only below its root.
    const isUnreachable =
      status === '500' || (operationId.endsWith('-root') && contentType === 'text/plain');
    if (contentType === undefined || isUnreachable) return [];
    const name = `${api} ${operationId} ${status} ${contentType}`;
    const [found] = findResponses(contract, documented, Number(status));
    return { ...documented, name, place: `${documents[api].name} ${found?.pointer}` };
  }),
);

export function transactionSkipReason(run: Run, transaction: Transaction): SkipReason | undefined {
  const { api, name } = transaction;
  return (
    findExclusion(run, 'dredd', name) ??
    noDredd() ??
    // Whoever runs Dredd alone must see that every call is rejected, with or without credentials.
    findObstacle(run, api, []) ??
    findObstacle(run, api, needsOf(transaction))
  );
}

/** Dredd is an optional peer dependency, because it brings many packages that are deprecated. */
function noDredd(): SkipReason | undefined {
  try {
    createRequire(import.meta.url).resolve('dredd');
    return undefined;
  } catch {
    return disabled('Dredd is not installed: npm install --save-dev dredd');
  }
}

function needsOf({ api, operationId, status }: Transaction): Need[] {
  if (api === 'gateway') return GATEWAY_NEEDS[status] ?? [];
  const isChange = status === '200' && changesFiles(operationId);
  return isChange ? ['storageCredentials', 'writes'] : ['storageCredentials'];
}

const GATEWAY_NEEDS: Record<string, Need[]> = { 200: ['fixture'], 403: ['forbiddenService'] };

export function toTransactionResult(transaction: Transaction): Result {
  const { name, api, operationId, status, contentType } = transaction;
  return createResult({
    engine: 'dredd',
    id: name,
    statement: `The response to ${operationId} matches what ${documents[api].name} documents for ${status} ${contentType}.`,
  });
}

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

/** Returns the documented response that a transaction of Dredd is about. The summaries in the copies are operationIds. */
export function findTransaction({ origin, expected }: DreddTransaction): Transaction | undefined {
  const [type] = readAll(toHeaderList(expected.headers), 'content-type');
  return transactions.find(
    ({ operationId, status, contentType }) =>
      operationId === origin.actionName && status === expected.statusCode && contentType === type,
  );
}

/**
 * Adapts a request that Dredd has made from an example to this deployment and to the documented status, and adds the
 * credentials.
 *
 * @param fileId file ID that the deployment returned for a path of this run, if any
 */
export function prepareCall(
  { api, operationId, status, contentType }: Transaction,
  { method, uri, body, ...request }: DreddTransaction['request'],
  run: Run,
  fileId: string | undefined,
): Call {
  const headers = toHeaderList(request.headers);
  if (api === 'storage') {
    // A body without its required fields is rejected (D30).
    const fields = status === '400' ? {} : toFields(body, run, fileId);
    return toStorageCall(run, operationId, fields, { method, headers });
  }
  const [, examplePath = ''] = /^\/v1\/cloudrun\/[^/?]*(.*)$/.exec(uri) ?? [];
  const path = contentType === 'text/plain' ? TEXT_PATH : examplePath;
  const services: Record<string, string | undefined> = {
    // A name outside the pattern is rejected (D6).
    400: `0${run.mark}-`,
    403: run.settings.forbiddenService,
    404: `no-such-service-${run.mark}`,
  };
  const { [status]: service = run.settings.service } = services;
  return toGatewayCall(run, { method, headers, body, path, service });
}

/** What the fixture service is told to send if plain text is documented. */
const TEXT_PATH = '/respond?type=text%2Fplain&body=Hello.';

/**
 * Replaces every path and file ID in an example request with one in this run's folder, so that no real file
 * is touched. Each string in a storage request is a path or a file ID.
 */
function toFields(body: string, run: Run, fileId?: string): object {
  const folder = `${FOLDER}/${run.mark}/dredd`;
  return JSON.parse(body, (_, value) => {
    if (typeof value !== 'string') return value;
    const [, prefix = '', path = ''] = /^(\w+:\/\/[^/]*\/|\/?)(.*)$/s.exec(value) ?? [];
    return prefix.includes('://') && fileId !== undefined ? fileId : `${prefix}${folder}/${path}`;
  });
}
