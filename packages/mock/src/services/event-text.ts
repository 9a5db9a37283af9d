import type { ServiceEvent } from './fake-service.ts';

/** Formats an event for the wire (WHATWG HTML, section 9.2). Each line of the data is a separate field. */
export function toEventText({ id, event, data, retry, comment }: ServiceEvent): string {
  const lines: string[] = [];
  if (comment !== undefined) lines.push(...split(comment).map((line) => `: ${line}`));
  if (retry !== undefined) lines.push(`retry: ${retry}`);
  if (event !== undefined) lines.push(`event: ${event}`);
  if (id !== undefined) lines.push(`id: ${id}`);
  if (data !== undefined) {
    const text = typeof data === 'string' ? data : JSON.stringify(data);
    lines.push(...split(text).map((line) => `data: ${line}`));
  }
  return lines.length === 0 ? '' : `${lines.join('\n')}\n\n`;
}

const LINE_BREAK = /\r\n|\r|\n/;

function split(text: string): string[] {
  return text.split(LINE_BREAK);
}
