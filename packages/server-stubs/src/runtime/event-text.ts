/** One event of a stream (WHATWG HTML, section 9.2). */
export interface ServerEvent {
  /** Name of the event; default `message`. One line. */
  readonly event?: string;
  /** Text as it is, several lines allowed; anything else as JSON. */
  readonly data?: unknown;
  /** What a client that reconnects sends as `Last-Event-ID`. One line. */
  readonly id?: string;
  /** Milliseconds before a client reconnects; a whole number. */
  readonly retry?: number;
}

const LINE_BREAK = /\r\n|\r|\n/;

/**
 * An event as it is written. Each line of the data has a field of its own; clients put them together
 * again.
 *
 * @throws TypeError for a name or id of several lines, an id with NUL, which clients ignore, or a retry
 *   that is no whole number
 */
export function toEventText({ event, data, id, retry }: ServerEvent): string {
  let text = '';
  if (event !== undefined) text += `event: ${toLine('event', event)}\n`;
  if (id !== undefined) text += `id: ${toLine('id', id)}\n`;
  if (retry !== undefined) text += `retry: ${toWhole(retry)}\n`;
  if (data !== undefined) {
    const value = typeof data === 'string' ? data : JSON.stringify(data);
    for (const line of value.split(LINE_BREAK)) text += `data: ${line}\n`;
  }
  return `${text}\n`;
}

function toLine(field: string, value: string): string {
  if (LINE_BREAK.test(value) || value.includes('\0')) {
    throw new TypeError(`The ${field} of an event must be one line without NUL.`);
  }
  return value;
}

function toWhole(retry: number): number {
  if (Number.isInteger(retry) && retry >= 0) return retry;
  throw new TypeError('The retry of an event must be a whole number of milliseconds.');
}
