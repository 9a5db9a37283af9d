import { dereference } from '../contract/dereference.ts';
import { documents } from '../contract/documents.ts';
import type { Header } from '../contract/openapi.ts';
import { type Answer, readHeader } from '../http-messages.ts';
import type { Finding } from '../result.ts';
import type { Transaction } from '../transaction.ts';

/** Checks that each header which the documented answer requires is there, and not empty. */
export function checkHeaders(documented: Transaction, answer: Answer): Finding[] {
  const { document, name } = documents[documented.api];
  return Object.entries(documented.response.headers ?? {}).flatMap(([header, node]) => {
    const own = `${documented.pointer}/headers/${header}`;
    const { value, pointer } = dereference<Header>(document, node, own);
    if (!value.required || readHeader(answer, header)) return [];
    return [{ message: `the header ${header} is required`, where: `${name} ${pointer}` }];
  });
}
