import defaults from '@berth/spec/defaults.json' with { type: 'json' };
import { documents, type Transaction } from '../contract/documents.ts';
import type { Received } from '../http/exchange.ts';
import { matchesMediaType } from '../http/media-type.ts';
import type { Finding, Verdict } from '../result.ts';
import {
  checkAnswer,
  checkBody,
  checkDisposition,
  checkHeaders,
  listByStatus,
  refusedCredentials,
} from './check-answer.ts';

/**
 * Checks a response of the gateway. The gateway's own errors are checked completely; responses of a
 * hosted service pass through unchanged, so only the headers that the gateway sets are checked, and the
 * body only if it is the documented one (D7).
 */
export function judgeGateway(
  transaction: Transaction,
  answer: Received,
  accepted: boolean,
): Verdict {
  if (transaction.status !== '200') return judgeGatewayError(transaction, answer, accepted);
  if (isGatewayError(answer)) {
    return judgeRefusal(transaction, answer, accepted);
  }
  const findings: Finding[] = [
    ...checkHeaders(listByStatus(transaction, answer.status)[0] ?? transaction, answer),
    ...checkDisposition(transaction, answer),
  ];
  if (findings.length > 0) return { outcome: 'fail', findings };
  return judgeService(transaction, answer);
}

function judgeRefusal(transaction: Transaction, answer: Received, accepted: boolean): Verdict {
  const findings = checkAnswer(transaction, answer);
  if (findings.length > 0) return { outcome: 'fail', findings };
  const refused = refusedCredentials(transaction, answer, accepted);
  return refused ?? skip(true, `the gateway responded with ${answer.status}; see --service`);
}

function judgeService(transaction: Transaction, answer: Received): Verdict {
  const { contentType: wanted = '' } = transaction;
  const contentType = answer.header('content-type') ?? '';
  const came = `the service responded with ${answer.status} ${contentType}`.trimEnd();
  if (answer.status !== 200) return skip(true, `${came}; its headers follow the contract`);
  if (!matchesMediaType(contentType, wanted) || checkBody(transaction, answer).length > 0) {
    const { name } = documents.gateway;
    return skip(true, `${came}, not what ${name} documents; its headers follow the contract`);
  }
  return { outcome: 'pass', findings: [] };
}

function skip(required: boolean, reason: string): Verdict {
  return { outcome: 'skip', required, reason, findings: [] };
}

/**
 * Whether a response is an error of the gateway and not one of the hosted service: its body has `code`,
 * `message` and `requestId`, the last equal to `X-Request-Id` (D10).
 */
export function isGatewayError({ status, json, header }: Received): boolean {
  const id = header('x-request-id');
  if (status < 400 || id === undefined) return false;
  const { code, message, requestId } = Object(json);
  return code !== undefined && message !== undefined && requestId === id;
}

/**
 * Checks an error that was provoked in the gateway: the status, the documented body, the code if the
 * contract fixes one for the status, and `requestId` equal to `X-Request-Id` (D9).
 */
function judgeGatewayError(transaction: Transaction, answer: Received, accepted: boolean): Verdict {
  const findings = checkAnswer(transaction, answer);
  const body = answer.json as { code?: unknown; requestId?: unknown } | null | undefined;
  const where = `${documents.gateway.name} ${transaction.pointer}`;
  const requestId = answer.header('x-request-id');
  if (findings.length === 0) {
    const refused = refusedCredentials(transaction, answer, accepted);
    if (refused) return refused;
    if (body?.requestId !== requestId) {
      findings.push({ message: 'requestId must equal the header X-Request-Id', where });
    }
  }
  findings.push(...checkStatus(transaction, answer, body?.code));
  return { outcome: findings.length > 0 ? 'fail' : 'pass', findings };
}

function checkStatus(transaction: Transaction, answer: Received, code: unknown): Finding[] {
  const where = `${documents.gateway.name} ${transaction.pointer}`;
  if (transaction.status === 'default') {
    if (answer.status >= 400 && answer.status < 500) return [];
    return [{ message: `the status must be 4xx for a bad name, not ${answer.status}`, where }];
  }
  if (String(answer.status) !== transaction.status) {
    return [{ message: `the status must be ${transaction.status}, not ${answer.status}`, where }];
  }
  const fixed = defaults.gatewayErrors.find(
    ({ status, strength }) => strength === 'contract' && status === answer.status,
  );
  if (fixed === undefined || code === undefined || code === fixed.code) return [];
  return [{ message: `the code must be ${fixed.code}, not ${code}`, where }];
}
