import type { OutgoingHttpHeaders } from 'node:http';
import type { Answer } from '../route-table.ts';

/** Headers that belong to every answer of a kind; those of the answer itself win. */
export type HeaderSource = Answer['headers'];

/** All headers of an answer by lower-case name; a later source wins over an earlier one. */
export function toHead(sources: readonly HeaderSource[]): OutgoingHttpHeaders {
  const head: OutgoingHttpHeaders = {};
  for (const headers of sources) {
    for (const name in headers) {
      const value = headers[name];
      if (value !== undefined) head[name.toLowerCase()] = value as string | string[];
    }
  }
  return head;
}
