import type { Answer, SentRequest } from '../http-messages.ts';
import type { Finding } from '../result.ts';
import { toCurl } from './to-curl.ts';

/** A finding with all of its evidence, as plain text. */
export function toEvidenceText({ message, where, request, answer }: Finding): string {
  return [
    message,
    where,
    ...(request
      ? [
          '',
          'sent:',
          `${request.method} ${request.url}`,
          ...toHeaderLines(request),
          toBodyText(request),
        ]
      : []),
    ...(answer
      ? ['', 'came:', String(answer.status), ...toHeaderLines(answer), toBodyText(answer)]
      : []),
    ...(request ? ['', 'repeat:', toCurl(request)] : []),
  ].join('\n');
}

/** A body as a report has it, and how it is written and what is missing where that is to be said. */
export function toBodyText({ body, bodyEncoding, bodySize }: SentRequest | Answer): string {
  const encoding = bodyEncoding === 'base64' ? '(base64) ' : '';
  const cut = bodySize === undefined ? '' : `\n… (${bodySize} bytes in all)`;
  return encoding + body + cut;
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
