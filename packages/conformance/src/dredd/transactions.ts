import { createRequire } from 'node:module';
import gateway from '@berth/spec/gateway.v1.openapi30.json' with { type: 'json' };
import storage from '@berth/spec/storage.v2.openapi30.json' with { type: 'json' };
import { type GatewayCall, toGatewayCall } from '../context/gateway-client.ts';
import { FOLDER, type Run } from '../context/run.ts';
import {
  disabled,
  findObstacle,
  leftOut,
  type Need,
  type SkipReason,
} from '../context/skip-reason.ts';
import { changesFiles, toStorageCall } from '../context/storage-client.ts';
import { APIS, type Api, METHODS, type OpenapiDocument } from '../contract/openapi.ts';
import { documents } from '../contract/operations.ts';
import type { Call, HeaderList } from '../http/exchange.ts';
import { createResult, type Result } from '../result.ts';

/** The contract in OpenAPI 3.0, which Dredd needs. */
export const copies = { gateway, storage } as unknown as Record<Api, OpenapiDocument>;

/**
 * How to trigger a documented status that the example request does not get:
 *
 * - `bad-name`: a name outside the pattern, which is 4xx with the error body (D6)
 * - `forbidden-service`: the service that the operator specified (SERVICE_FORBIDDEN)
 * - `unknown-service`: a service name that is not deployed (SERVICE_NOT_FOUND)
 * - `missing-field`: a body without its required fields, which is rejected (D30)
 * - `none`: no request triggers it on an arbitrary deployment
 */
const PROVOCATIONS = {
  gateway: { '400': 'bad-name', '403': 'forbidden-service', '404': 'unknown-service' },
  storage: { '400': 'missing-field', '500': 'none' },
} as const satisfies Record<Api, Record<string, string>>;

/** A documented response that Dredd requests. */
export interface Transaction {
  /** `storage batchDelete 200 application/json` */
  name: string;
  api: Api;
  operationId: string;
  status: string;
  contentType: string;
  provocation: string | undefined;
}

/** The documented responses that Dredd can request. The others are left to the checks for individual rules. */
export const transactions: readonly Transaction[] = APIS.flatMap(listTransactions).filter(
  ({ operationId, contentType, provocation }) =>
    // The fixture service accepts commands only below its root.
    !(operationId.endsWith('-root') && contentType === 'text/plain') && provocation !== 'none',
);

function listTransactions(api: Api): Transaction[] {
  const provocations: Record<string, string> = PROVOCATIONS[api];
  const operations = Object.values(copies[api].paths).flatMap((pathItem) =>
    METHODS.flatMap((method) => pathItem[method] ?? []),
  );
  return operations.flatMap(({ operationId, responses }) =>
    Object.entries(responses).flatMap(([status, { content = {} }]) =>
      Object.keys(content).map((contentType) => {
        const name = `${api} ${operationId} ${status} ${contentType}`;
        const provocation = provocations[status];
        return { name, api, operationId, status, contentType, provocation };
      }),
    ),
  );
}

/** Returns why a documented response is not requested, or `undefined` if it is. */
export function transactionSkipReason(run: Run, transaction: Transaction): SkipReason | undefined {
  const { api, name } = transaction;
  return (
    leftOut(run, 'dredd', name) ??
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

function needsOf({ api, operationId, provocation }: Transaction): Need[] {
  if (api === 'storage') {
    const writes = changesFiles(operationId) && provocation === undefined;
    return writes ? ['storageCredentials', 'writes'] : ['storageCredentials'];
  }
  if (provocation === 'forbidden-service') return ['forbiddenService'];
  return provocation === undefined ? ['fixture'] : [];
}

/** Creates the result of a documented response that nothing is known about yet. */
export function toTransactionResult(transaction: Transaction): Result {
  const { name, api, operationId, status, contentType } = transaction;
  return createResult({
    engine: 'dredd',
    id: name,
    level: 'must',
    statement: `The response to ${operationId} matches what ${documents[api].name} documents for ${status} ${contentType}.`,
    operations: [operationId],
  });
}

/** A request that Dredd has made from the examples of a document. */
interface Example {
  method: string;
  /** The path, without that of the endpoint, and the query. */
  uri: string;
  headers: HeaderList;
  body: string;
}

/**
 * Adapts an example to this deployment, and adds the credentials.
 *
 * @param fileId file ID that the deployment returned for a path of this run, if any
 */
export function prepareCall(
  transaction: Transaction,
  { method, uri, headers, body }: Example,
  run: Run,
  fileId: string | undefined,
): Call {
  if (transaction.api === 'gateway') {
    return toGatewayCall(run, { method, headers, body, ...toAddress(transaction, uri, run) });
  }
  const fields = toFields(transaction, body, run, fileId);
  return toStorageCall(run, transaction.operationId, fields, { method, headers });
}

/**
 * Replaces every path and file ID in an example request with one in this run's folder, so that no real file
 * is touched. Each string in a storage request is a path or a file ID.
 */
function toFields({ provocation }: Transaction, body: string, run: Run, fileId?: string): object {
  if (provocation === 'missing-field') return {};
  const folder = `${FOLDER}/${run.mark}/dredd`;
  return JSON.parse(body, (_, value) => {
    if (typeof value !== 'string') return value;
    const [, prefix = '', path = ''] = /^(\w+:\/\/[^/]*\/|\/?)(.*)$/s.exec(value) ?? [];
    return prefix.includes('://') && fileId !== undefined ? fileId : `${prefix}${folder}/${path}`;
  });
}

/** What the fixture service is asked for if plain text is documented. */
const TEXT_PATH = '/respond?type=text%2Fplain&body=Hello.';

/** Returns the service to call, and the path of the example below it. */
function toAddress(
  { provocation = '', contentType }: Transaction,
  uri: string,
  { settings, mark }: Run,
): Pick<GatewayCall, 'service' | 'path'> {
  const services: Record<string, string | undefined> = {
    'unknown-service': `no-such-service-${mark}`,
    'forbidden-service': settings.forbiddenService,
    'bad-name': `0${mark}-`,
  };
  const [, path = ''] = /^\/v1\/cloudrun\/[^/?]*(.*)$/.exec(uri) ?? [];
  return {
    service: services[provocation] ?? settings.service,
    path: contentType === 'text/plain' ? TEXT_PATH : path,
  };
}
