import type { Finding } from '../result.ts';
import { toCurl } from './to-curl.ts';

/** A finding with all of its evidence, as plain text. */
export function toEvidenceText({ message, where, request, answer }: Finding): string {
  return [
    message,
    where,
    ...(request
      ? ['', 'sent:', `${request.method} ${request.url}`, ...toHeaderLines(request), request.body]
      : []),
    ...(answer ? ['', 'came:', String(answer.status), ...toHeaderLines(answer), answer.body] : []),
    ...(request ? ['', 'repeat:', toCurl(request)] : []),
  ].join('\n');
}

/** Headers, one a line. */
export function toHeaderLines({
  headers,
}: {
  headers: Record<string, string | string[]>;
}): string[] {
  return Object.entries(headers).flatMap(([name, value]) =>
    [value].flat().map((each) => `${name}: ${each}`),
  );
}
