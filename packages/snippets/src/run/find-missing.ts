/** Durations that programs print at the end of a line, which vary from run to run. */
const TIME = / +\d+(\.\d+)?m?s$/;

/**
 * Returns the first line of a page's expected output that was not printed. Complete lines must match in
 * order. Other lines may be printed between them. `…` on a page matches any text, and JSON on a page may have
 * line breaks.
 */
export function findMissing(shown: string[], printed: string): string | undefined {
  const lines = printed.split('\n').map((line) => line.trimEnd().replace(TIME, ''));
  let next = 0;
  for (const line of joinJson(shown)) {
    if (line.trim() === '' || line.trim() === '…') continue;
    const like = new RegExp(`^${line.trimEnd().split('…').map(RegExp.escape).join('.*')}$`);
    const found = lines.findIndex((text, index) => index >= next && like.test(text));
    if (found === -1) return line;
    next = found + 1;
  }
  return undefined;
}

function joinJson(shown: string[]): string[] {
  const joined: string[] = [];
  for (const line of shown) {
    const last = joined.at(-1);
    if (last !== undefined && /^[{[]/.test(last) && count(last, /[{[]/g) > count(last, /[}\]]/g)) {
      joined[joined.length - 1] = last + line.trim();
    } else {
      joined.push(line);
    }
  }
  return joined;
}

function count(text: string, like: RegExp): number {
  return text.match(like)?.length ?? 0;
}
