import { listDispositionTypes } from '../checks/gateway-disposition.ts';
import { documents } from '../contract/documents.ts';
import { toMediaType } from '../contract/media-type.ts';
import { type Answer, readHeader } from '../http-messages.ts';
import type { Finding } from '../result.ts';
import type { Transaction } from '../transaction.ts';

/** Rule C2: 'Text types are those whose Content-Type indicates …', compared without parameters. */
const TEXT_TYPES = ['application/json', 'application/x-www-form-urlencoded', 'text/plain'];

/**
 * Rules C1 to C3 for what a hosted service answers: `Content-Disposition: attachment` on every answer
 * to a GET (C1) and on every answer of no text type (C2), but not on event streams (C3). A missing
 * Content-Type is not judged, for the contract leaves it open (D8).
 */
export function checkDisposition(transaction: Transaction, answer: Answer): Finding[] {
  const contentType = readHeader(answer, 'content-type');
  if (contentType === undefined) return [];
  const type = toMediaType(contentType);
  if (type === 'text/event-stream') return [];
  const rule = transaction.method === 'get' ? 'C1' : TEXT_TYPES.includes(type) ? undefined : 'C2';
  const came = readHeader(answer, 'content-disposition');
  const where = `${documents.gateway.name} ${transaction.pointer}/headers/Content-Disposition`;
  const types = listDispositionTypes([came ?? '']);
  if (rule && (!types.includes('attachment') || types.includes('inline'))) {
    return [{ message: `${rule}: Content-Disposition must be attachment, not ${came}`, where }];
  }
  if (rule === undefined && came !== undefined) {
    return [{ message: `C2: a POST answered with ${type} has no Content-Disposition`, where }];
  }
  return [];
}
