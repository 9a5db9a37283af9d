const NAMES = ['continues', 'given', 'file', 'not run', 'exits', 'printed', 'stays up'] as const;

/** A note, which is an HTML comment directly before a block. This package's README lists all notes. */
export type Note = { name: (typeof NAMES)[number]; value: string; body: string; line: number };

const NOTE = new RegExp(`^<!--\\s*(${NAMES.join('|')})\\b:?[ \\t]*([^\\n]*?)(?:\\n(.*))?-->$`, 's');

/**
 * Reads the notes in an HTML node, which may contain several comments.
 *
 * @param line - line of the page on which the node starts
 * @throws Error for an unknown note, so that a typo does not change what is checked
 */
export function readNotes(html: string, line: number): Note[] {
  return [...html.matchAll(/<!--.*?-->/gs)].map(({ 0: comment, index }) => {
    const [, name, value = '', body = ''] = NOTE.exec(comment) ?? [];
    if (name === undefined) {
      throw new Error(`unknown note: ${comment.split('\n')[0]} (known notes: ${NAMES.join(', ')})`);
    }
    const above = html.slice(0, index).split('\n').length - 1;
    return { name: name as Note['name'], value: value.trim(), body, line: line + above + 1 };
  });
}
