/** A server-sent event (WHATWG HTML, section 9.2). Works in browsers, where MSW sends events. */
export interface ServerEvent {
  /** Event type, on one line. Default: `message`. */
  readonly event?: string | undefined;
  /** Text, which may have several lines, or a value that is sent as JSON. */
  readonly data?: unknown;
  /** Event ID, on one line, which clients send as `Last-Event-ID` when they reconnect. */
  readonly id?: string | number | undefined;
  /** How long clients wait before they reconnect, in milliseconds, an integer. */
  readonly retry?: number | undefined;
  /** Text that clients ignore, which may have several lines. */
  readonly comment?: string | undefined;
}

/**
 * Writes an event as its fields, one per line.
 *
 * @throws TypeError if event type or ID are not one line without NUL, `retry` is not an integer of at least 0, or
 *   `data` has no JSON form
 * @example
 * toEventText({ event: 'tick', data: { at: 7 } }); // 'event: tick\ndata: {"at":7}\n\n'
 */
export function toEventText({ comment, retry, event, id, data }: ServerEvent): string {
  let text = comment === undefined ? '' : toLines('', comment);
  if (retry !== undefined) text += `retry: ${toInteger(retry)}\n`;
  if (event !== undefined) text += `event: ${toLine('event', event)}\n`;
  if (id !== undefined) text += `id: ${toLine('id', String(id))}\n`;
  if (data !== undefined) {
    const value = typeof data === 'string' ? data : JSON.stringify(data);
    if (value === undefined) throw new TypeError("The event's data must be text or JSON.");
    text += toLines('data', value);
  }
  return `${text}\n`;
}

const LINE_BREAK = /\r\n|\r|\n/;

function toLines(field: string, value: string): string {
  const lines = value.split(LINE_BREAK);
  return lines.map((line) => `${field}: ${line}\n`).join('');
}

function toLine(field: string, value: string): string {
  if (!LINE_BREAK.test(value) && !value.includes('\0')) return value;
  throw new TypeError(`The event's ${field} must be a single line without NUL.`);
}

function toInteger(retry: number): number {
  if (Number.isInteger(retry) && retry >= 0) return retry;
  throw new TypeError("The event's retry must be an integer of at least 0, in milliseconds.");
}
