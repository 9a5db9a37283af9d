/** One event as it stands in the stream. */
export interface ParsedEvent {
  readonly event: string;
  readonly data: string;
  readonly id: string;
}

/**
 * Parses an event stream piece by piece (WHATWG HTML, section 9.2.6).
 *
 * @param id ID of the last event before this stream
 */
export function createEventParser(id: string) {
  let rest = '';
  let isAfterCr = false;
  let event = '';
  let nextId = id;
  let data: string[] = [];
  const state = {
    /** ID of the last event. */
    id,
    /** Milliseconds that the server asks to wait before the next connection. */
    retry: undefined as number | undefined,

    /** Takes the next piece of the stream, and gives the events that it ends. */
    take(piece: string): ParsedEvent[] {
      const text = isAfterCr && piece.startsWith('\n') ? piece.slice(1) : piece;
      if (piece) isAfterCr = text.endsWith('\r');
      const lines = text.split(/\r\n|\n|\r/);
      lines[0] = rest + lines[0];
      rest = lines.pop() ?? '';
      return lines.flatMap(takeLine);
    },
  };

  function takeLine(line: string): ParsedEvent[] {
    if (line === '') {
      // Not before: an event that breaks off is sent again.
      state.id = nextId;
      const found = { event: event || 'message', data: data.join('\n'), id: state.id };
      const isEvent = data.length > 0;
      event = '';
      data = [];
      return isEvent ? [found] : [];
    }
    const [, field, value = ''] = /^([^:]*)(?:: ?(.*))?$/s.exec(line) ?? [];
    if (field === 'data') data.push(value);
    else if (field === 'event') event = value;
    // "If the field value does not contain NULL": no header can carry another control character either.
    else if (field === 'id' && !/[^\t\P{Cc}]/u.test(value)) nextId = value;
    else if (field === 'retry' && /^\d+$/.test(value)) state.retry = Number(value);
    return [];
  }
  return state;
}
