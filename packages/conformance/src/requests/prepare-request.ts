import { dereference } from '../contract/dereference.ts';
import { documents } from '../contract/documents.ts';
import { expandPath } from '../contract/expand-path.ts';
import type { Parameter } from '../contract/openapi.ts';
import type { Drafted, SentRequest } from '../http-messages.ts';
import { findProvocation } from '../provocations.ts';
import type { Transaction } from '../transaction.ts';
import { credentialsOf } from './credentials-of.ts';
import { toPrefer } from './prefer.ts';
import type { RunContext } from './run-context.ts';
import { toForm } from './to-form.ts';
import { toScratch } from './to-scratch.ts';

/**
 * Turns the request that Dredd made from the examples into the one for this target.
 *
 * @returns `undefined` where no request brings the documented status about
 */
export function prepareRequest(
  transaction: Transaction,
  drafted: Drafted,
  context: RunContext,
): SentRequest | undefined {
  const { settings } = context;
  const unprovoked = findProvocation(transaction)?.kind === 'none';
  if (unprovoked && !settings.preferCode) return undefined;
  const base = transaction.api === 'gateway' ? settings.gatewayUrl : settings.storageUrl;
  const path = expandPath(transaction.path, toPathValues(transaction, context));
  return {
    ...drafted,
    url: base + path,
    headers: {
      ...drafted.headers,
      ...credentialsOf(transaction.api, settings),
      ...(unprovoked ? toPrefer(transaction) : {}),
    },
    body: toBody(transaction, drafted, context),
  };
}

function toPathValues(transaction: Transaction, context: RunContext): Record<string, string> {
  const { document } = documents[transaction.api];
  const examples = (transaction.pathItem.parameters ?? [])
    .map((node) => dereference<Parameter>(document, node, '').value)
    .map(({ name, example }) => [name, String(example)]);
  return {
    ...Object.fromEntries(examples),
    envId: context.settings.env,
    name: toServiceName(transaction, context),
  };
}

function toServiceName(transaction: Transaction, { settings, mark }: RunContext): string {
  switch (findProvocation(transaction)?.kind) {
    case 'unknown-service':
      return `no-such-service-${mark}`;
    case 'bad-name':
      return `${mark}-`.replace(/^[a-z]/, '0');
    default:
      return settings.service;
  }
}

function toBody(transaction: Transaction, { body }: Drafted, context: RunContext): string {
  if (transaction.api !== 'storage') return body;
  const isMissing = findProvocation(transaction)?.kind === 'missing-field';
  const fields = isMissing ? {} : toScratch(JSON.parse(body), context);
  return JSON.stringify(toForm(fields as object, context.requestForm));
}
