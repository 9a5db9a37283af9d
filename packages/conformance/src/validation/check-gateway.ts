import defaults from '@berth/spec/defaults.json' with { type: 'json' };
import { documents, type Transaction } from '../contract/documents.ts';
import type { Received } from '../http/exchange.ts';
import { matchesMediaType } from '../http/media-type.ts';
import type { Finding, Verdict } from '../result.ts';
import {
  checkBody,
  checkDisposition,
  checkHeaders,
  checkResponse,
  listByStatus,
  refusedCredentials,
} from './check-response.ts';

/**
 * Checks a response from the gateway. The gateway's own errors are checked completely. Responses from a
 * hosted service are forwarded unchanged, so only the headers that the gateway sets are checked, along with
 * the body if it is the documented one (D7).
 */
export function checkGateway(
  transaction: Transaction,
  response: Received,
  accepted: boolean,
): Verdict {
  if (transaction.status !== '200') return checkGatewayError(transaction, response, accepted);
  if (isGatewayError(response)) {
    return checkRefusal(transaction, response, accepted);
  }
  const findings: Finding[] = [
    ...checkHeaders(listByStatus(transaction, response.status)[0] ?? transaction, response),
    ...checkDisposition(transaction, response),
  ];
  if (findings.length > 0) return { outcome: 'fail', findings };
  return checkService(transaction, response);
}

function checkRefusal(transaction: Transaction, response: Received, accepted: boolean): Verdict {
  const findings = checkResponse(transaction, response);
  if (findings.length > 0) return { outcome: 'fail', findings };
  const refused = refusedCredentials(transaction, response, accepted);
  return refused ?? skip(true, `the gateway responded with ${response.status}; see --service`);
}

function checkService(transaction: Transaction, response: Received): Verdict {
  const { contentType: wanted = '' } = transaction;
  const contentType = response.header('content-type') ?? '';
  const came = `the service responded with ${response.status} ${contentType}`.trimEnd();
  if (response.status !== 200)
    return skip(true, `${came}; the response headers follow the contract`);
  if (!matchesMediaType(contentType, wanted) || checkBody(transaction, response).length > 0) {
    const { name } = documents.gateway;
    return skip(
      true,
      `${came}, which is not what ${name} documents; the response headers follow the contract`,
    );
  }
  return { outcome: 'pass', findings: [] };
}

function skip(required: boolean, reason: string): Verdict {
  return { outcome: 'skip', required, reason, findings: [] };
}

/**
 * Returns whether a response is the gateway's error rather than a hosted service's: its body has `code`,
 * `message` and `requestId`, the last of which equals `X-Request-Id` (D10).
 */
export function isGatewayError({ status, json, header }: Received): boolean {
  const id = header('x-request-id');
  if (status < 400 || id === undefined) return false;
  const { code, message, requestId } = Object(json);
  return code !== undefined && message !== undefined && requestId === id;
}

/**
 * Checks an error that the suite triggered in the gateway: the status, the documented body, the code if the
 * contract specifies one for the status, and that `requestId` equals `X-Request-Id` (D9).
 */
function checkGatewayError(
  transaction: Transaction,
  response: Received,
  accepted: boolean,
): Verdict {
  const findings = checkResponse(transaction, response);
  const body = response.json as { code?: unknown; requestId?: unknown } | null | undefined;
  const where = `${documents.gateway.name} ${transaction.pointer}`;
  const requestId = response.header('x-request-id');
  if (findings.length === 0) {
    const refused = refusedCredentials(transaction, response, accepted);
    if (refused) return refused;
    if (body?.requestId !== requestId) {
      findings.push({ message: 'requestId must equal the X-Request-Id header', where });
    }
  }
  findings.push(...checkStatus(transaction, response, body?.code));
  return { outcome: findings.length > 0 ? 'fail' : 'pass', findings };
}

function checkStatus(transaction: Transaction, response: Received, code: unknown): Finding[] {
  const where = `${documents.gateway.name} ${transaction.pointer}`;
  if (transaction.status === 'default') {
    if (response.status >= 400 && response.status < 500) return [];
    return [
      { message: `the status must be 4xx for an invalid name, not ${response.status}`, where },
    ];
  }
  if (String(response.status) !== transaction.status) {
    return [{ message: `the status must be ${transaction.status}, not ${response.status}`, where }];
  }
  const fixed = defaults.gatewayErrors
    .filter(({ status, strength }) => strength === 'contract' && status === response.status)
    .map((row) => row.code);
  if (fixed.length === 0 || code === undefined || fixed.includes(String(code))) return [];
  return [{ message: `the code must be ${fixed.join(' or ')}, not ${code}`, where }];
}
