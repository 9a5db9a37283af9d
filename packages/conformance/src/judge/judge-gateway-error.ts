import defaults from '@berth/spec/defaults.json' with { type: 'json' };
import { documents } from '../contract/documents.ts';
import { type Answer, readHeader } from '../http-messages.ts';
import type { Finding } from '../result.ts';
import type { Transaction } from '../transaction.ts';
import type { Verdict } from '../verdict.ts';
import { checkAnswer } from './check-answer.ts';
import { parse } from './check-body.ts';
import { refusedCredentials } from './refused-credentials.ts';

/**
 * Judges an error that the gateway was brought to make: the status, the documented body, the code
 * where the contract fixes one for the status, and `requestId` equal to `X-Request-Id` (D9).
 */
export function judgeGatewayError(
  transaction: Transaction,
  answer: Answer,
  accepted: boolean,
): Verdict {
  const findings = checkAnswer(transaction, answer);
  const body = parse(answer.body) as { code?: unknown; requestId?: unknown } | null | undefined;
  const where = `${documents.gateway.name} ${transaction.pointer}`;
  const requestId = readHeader(answer, 'x-request-id');
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

function checkStatus(transaction: Transaction, answer: Answer, code: unknown): Finding[] {
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
