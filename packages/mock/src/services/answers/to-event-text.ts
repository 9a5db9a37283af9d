import type { ScriptedEvent } from '../fake-service.ts';

const LINE_BREAK = /\r\n|\r|\n/;

/** An event as it is written (WHATWG HTML, section 9.2). Each line of the data has a field of its own. */
export function toEventText({ id, event, data, retry, comment }: ScriptedEvent): string {
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

function split(text: string): string[] {
  return text.split(LINE_BREAK);
}
