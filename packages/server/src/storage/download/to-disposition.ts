/** RFC 8187, section 3.2.1, `attr-char`: what needs no encoding, as far as `encodeURIComponent` leaves more. */
const NO_ATTR_CHAR = /['()*]/g;

/** What is no printable ASCII, or has a meaning in a quoted string or for those who decode twice. */
const NOT_PLAIN = /[^\x20-\x7E]|["\\%]/gu;

/**
 * `Content-Disposition` of a download, under the file's own name (RFC 6266, section 4). A name that is
 * not plain ASCII is there twice: encoded by RFC 8187, and as an ASCII likeness for those who cannot
 * read that (RFC 6266, appendix D).
 *
 * @param path path of the file; its last segment is the name
 *
 * @example
 * toDisposition('reports/summary.txt'); // attachment; filename="summary.txt"
 */
export function toDisposition(path: string): string {
  const name = path.slice(path.lastIndexOf('/') + 1);
  const plain = name.replace(NOT_PLAIN, '_');
  const simple = `attachment; filename="${plain}"`;
  return plain === name ? simple : `${simple}; filename*=UTF-8''${toExtValue(name)}`;
}

function toExtValue(name: string): string {
  return encodeURIComponent(name).replace(
    NO_ATTR_CHAR,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
