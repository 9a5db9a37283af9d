import { readdirSync, readFileSync } from 'node:fs';
import { type Finding, toFinding } from './lint-text.ts';

const FOLDER = new URL('../../docs/decisions/', import.meta.url);

const DECISIONS = new Map(
  readdirSync(FOLDER).map((file) => [
    file.replace(/^d0?(\d+)-.*/, 'D$1'),
    toWords(readFileSync(new URL(file, FOLDER), 'utf8')),
  ]),
);

/** `D1: "…"`, or `"…" (D1)`. */
const QUOTATION = /\b(D\d+):\s+"([^"]+)"|"([^"]+)"\s+\((D\d+)\)/g;

/** Finds quotations that are not in the decision that they name. An ellipsis stands for any words. */
export function findMisquotations(text: string): Finding[] {
  // The markers of comment lines are masked, so that positions stay correct.
  const prose = text.replace(/(?<=\n)[ \t]*(?:\*|\/\/|#)/g, (marker) => ' '.repeat(marker.length));
  return [...prose.matchAll(QUOTATION)].flatMap(
    ({ 0: found, 1: before, 2: a, 3: b, 4: after, index }) => {
      const decision = before ?? after ?? '';
      const parts = (a ?? b ?? '').split('…').map(toWords);
      if (parts.every((part) => DECISIONS.get(decision)?.includes(part))) return [];
      const message = `${found.replace(/\s+/g, ' ')}: ${decision} has no such sentence`;
      return [toFinding(prose, index, message)];
    },
  );
}

function toWords(text: string): string {
  return (text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []).join(' ');
}
