import { FOLDER, type Run } from '../context/run.ts';
import { toForm } from '../context/storage-client.ts';
import { dereference, type Parameter } from '../contract/openapi.ts';
import {
  documents,
  expandPath,
  findProvocation,
  type Transaction,
} from '../contract/operations.ts';
import { type Call, type HeaderList, toTarget, withHeaders } from '../http/exchange.ts';

/**
 * Adapts a request that Dredd has made from the examples of a document to this deployment, and adds the credentials.
 *
 * @param fileId file ID that the deployment returned for a path of this run, if any
 */
export function prepareCall(
  transaction: Transaction,
  example: { method: string; headers: HeaderList; body: string },
  run: Run,
  fileId: string | undefined,
): Call {
  const { settings, requestForm } = run;
  const { method } = example;
  const isGateway = transaction.api === 'gateway';
  const { gatewayHost } = settings;
  const host: HeaderList = isGateway && gatewayHost ? [['Host', gatewayHost]] : [];
  const headers = withHeaders(example.headers, host);
  const url = settings[`${transaction.api}Url`] + toPath(transaction, run);
  const fields = isGateway ? undefined : toFields(transaction, example.body, run, fileId);
  const body = Buffer.from(fields ? JSON.stringify(toForm(fields, requestForm)) : example.body);
  const signer = isGateway ? run.gatewaySigner : run.signers.storage;
  const credentials = signer?.({ method, url, headers, body }) ?? [];
  return {
    method,
    origin: new URL(url).origin,
    target: toTarget(url),
    headers: withHeaders(headers, credentials),
    body,
  };
}

/**
 * Replaces every path and file ID in an example request with one in this run's folder, so that no real file
 * is touched. Each string in a storage request is a path or a file ID.
 */
function toFields(transaction: Transaction, body: string, run: Run, fileId?: string): object {
  if (findProvocation(transaction)?.kind === 'missing-field') return {};
  const folder = `${FOLDER}/${run.mark}/dredd`;
  return JSON.parse(body, (_, value) => {
    if (typeof value !== 'string') return value;
    const [, prefix = '', path = ''] = /^(\w+:\/\/[^/]*\/|\/?)(.*)$/s.exec(value) ?? [];
    return prefix.includes('://') && fileId !== undefined ? fileId : `${prefix}${folder}/${path}`;
  });
}

/** The text that the fixture service returns, if plain text is documented. */
const TEXT_PATH = '/respond?type=text%2Fplain&body=Hello.';

function toPath(transaction: Transaction, { settings, mark }: Run): string {
  const { env, service, forbiddenService = service } = settings;
  const names: Record<string, string> = {
    'unknown-service': `no-such-service-${mark}`,
    'forbidden-service': forbiddenService,
    'bad-name': `0${mark}-`,
  };
  const name = names[findProvocation(transaction)?.kind ?? ''] ?? service;
  if (transaction.contentType === 'text/plain' && transaction.status === '200') {
    return expandPath('/v1/cloudrun/{name}', { name }) + TEXT_PATH;
  }
  const examples = (transaction.pathItem.parameters ?? [])
    .map((node) => dereference<Parameter>(documents[transaction.api].document, node, '').value)
    .map((parameter) => [parameter.name, String(parameter.example)]);
  return expandPath(transaction.path, { ...Object.fromEntries(examples), envId: env, name });
}
