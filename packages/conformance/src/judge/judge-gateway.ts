import { documents } from '../contract/documents.ts';
import { matchesMediaType } from '../contract/media-type.ts';
import { type Answer, readHeader } from '../http-messages.ts';
import type { Finding } from '../result.ts';
import type { Transaction } from '../transaction.ts';
import type { Verdict } from '../verdict.ts';
import { checkAnswer, listByStatus } from './check-answer.ts';
import { checkBody, parse } from './check-body.ts';
import { checkDisposition } from './check-disposition.ts';
import { checkHeaders } from './check-headers.ts';
import { isGatewayError } from './is-gateway-error.ts';
import { judgeGatewayError } from './judge-gateway-error.ts';
import { refusedCredentials } from './refused-credentials.ts';

/**
 * Judges an answer of the gateway. The gateway's own errors are judged in full; what a hosted service
 * answers passes through unchanged, so there the headers that the gateway sets are judged, and the
 * body only where it is the documented one (D7).
 */
export function judgeGateway(transaction: Transaction, answer: Answer, accepted: boolean): Verdict {
  if (transaction.status !== '200') return judgeGatewayError(transaction, answer, accepted);
  if (isGatewayError(answer.status, parse(answer.body), readHeader(answer, 'x-request-id'))) {
    return judgeRefusal(transaction, answer, accepted);
  }
  const findings: Finding[] = [
    ...checkHeaders(listByStatus(transaction, answer.status)[0] ?? transaction, answer),
    ...checkDisposition(transaction, answer),
  ];
  if (findings.length > 0) return { outcome: 'fail', findings };
  return judgeService(transaction, answer);
}

function judgeRefusal(transaction: Transaction, answer: Answer, accepted: boolean): Verdict {
  const findings = checkAnswer(transaction, answer);
  if (findings.length > 0) return { outcome: 'fail', findings };
  const refused = refusedCredentials(transaction, answer, accepted);
  return refused ?? skip(true, `the gateway answered ${answer.status}; see --service`);
}

function judgeService(transaction: Transaction, answer: Answer): Verdict {
  const { contentType: wanted = '' } = transaction;
  const contentType = readHeader(answer, 'content-type') ?? '';
  const came = `the service answered ${answer.status} ${contentType}`.trimEnd();
  if (answer.status !== 200) return skip(true, `${came}; its headers keep the contract`);
  if (!matchesMediaType(contentType, wanted) || checkBody(transaction, answer).length > 0) {
    const { name } = documents.gateway;
    return skip(true, `${came}, not what ${name} documents; its headers keep the contract`);
  }
  return { outcome: 'pass', findings: [] };
}

function skip(required: boolean, reason: string): Verdict {
  return { outcome: 'skip', required, reason, findings: [] };
}
