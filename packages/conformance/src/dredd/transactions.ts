import { createRequire } from 'node:module';
import gateway from '@berth/spec/gateway.v1.openapi30.json' with { type: 'json' };
import storage from '@berth/spec/storage.v2.openapi30.json' with { type: 'json' };
import type { Run } from '../context/run.ts';
import {
  disabled,
  lacking,
  leftOut,
  type Need,
  noUrl,
  refused,
  type SkipReason,
} from '../context/skip-reason.ts';
import { changesFiles } from '../context/storage-client.ts';
import type { Api, OpenapiDocument } from '../contract/openapi.ts';
import {
  documents,
  findProvocation,
  type Transaction,
  toContract,
  toPlace,
} from '../contract/operations.ts';
import { createResult, type Result } from '../result.ts';

/** The contract in OpenAPI 3.0, which Dredd needs. */
export const copies = { gateway, storage } as unknown as Record<Api, OpenapiDocument>;

/** The documented responses that Dredd can run. The others are left to the checks for individual rules. */
export const transactions = toContract().transactions.filter(isDriven);

function isDriven(transaction: Transaction): boolean {
  const { api, path, method, operationId, contentType } = transaction;
  // The fixture service accepts commands only below its root.
  if (operationId.endsWith('-root') && contentType === 'text/plain') return false;
  const response = copies[api].paths[path]?.[method]?.responses[toCopyStatus(transaction)];
  if (response === undefined || '$ref' in response) return false;
  const isInCopy = contentType === undefined || response.content?.[contentType] !== undefined;
  return isInCopy && findProvocation(transaction)?.kind !== 'none';
}

/** The status of a documented response in the OpenAPI 3.0 copy: Dredd does not support ranges. */
export function toCopyStatus(transaction: Transaction): string {
  return findProvocation(transaction)?.copyStatus ?? transaction.status;
}

/** Returns why a documented response is not run, or `undefined` if it is run. */
export function transactionSkipReason(run: Run, transaction: Transaction): SkipReason | undefined {
  const { api } = transaction;
  return (
    leftOut(run, 'dredd', toPlace(transaction).name) ??
    noDredd() ??
    noUrl(run, api) ??
    refused(run, api) ??
    lacking(run, needsOf(transaction))
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

function needsOf(transaction: Transaction): Need[] {
  const { api, operationId, status } = transaction;
  if (api === 'storage') {
    const writes = changesFiles(operationId) && status === '200';
    return writes ? ['storageCredentials', 'writes'] : ['storageCredentials'];
  }
  const { kind } = findProvocation(transaction) ?? {};
  if (kind === 'forbidden-service') return ['forbiddenService'];
  return kind === undefined ? ['fixture'] : [];
}

/** Creates the result of a documented response that nothing is known about yet. */
export function toTransactionResult(transaction: Transaction): Result {
  const { name, operationId, status, contentType } = toPlace(transaction);
  const document = documents[transaction.api].name;
  const what = [status, contentType].filter(Boolean).join(' ');
  return createResult({
    engine: 'dredd',
    id: name,
    level: 'must',
    outcome: 'error',
    statement: `The response to ${operationId} matches what ${document} documents for ${what}.`,
    rules: [],
    operations: [operationId],
  });
}
