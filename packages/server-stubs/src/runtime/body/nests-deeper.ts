/**
 * Whether a JSON text nests deeper than `maxDepth`, found without parsing it. Text that is no JSON may
 * get either verdict.
 */
export function nestsDeeper(text: string, maxDepth: number): boolean {
  // Most bodies have fewer brackets than levels allowed, and searching for them is fast.
  const left = maxDepth - countUpTo(text, '{', maxDepth + 1);
  if (left >= 0 && countUpTo(text, '[', left + 1) <= left) return false;
  return deepestOf(text, maxDepth) > maxDepth;
}

function countUpTo(text: string, character: string, enough: number): number {
  let count = 0;
  let at = text.indexOf(character);
  while (at >= 0 && count < enough) {
    count += 1;
    at = text.indexOf(character, at + 1);
  }
  return count;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** Deepest level of the text; stops at the first beyond `enough`. */
function deepestOf(text: string, enough: number): number {
  let depth = 0;
  let deepest = 0;
  for (let at = 0; at < text.length && deepest <= enough; at += 1) {
    switch (text.charCodeAt(at)) {
      case QUOTE:
        at = endOfString(text, at);
        break;
      case 0x5b: // [
      case 0x7b: // {
        depth += 1;
        if (depth > deepest) deepest = depth;
        break;
      case 0x5d: // ]
      case 0x7d: // }
        depth -= 1;
        break;
    }
  }
  return deepest;
}

/** Place of the closing quote of the string that begins at `start`. */
function endOfString(text: string, start: number): number {
  let at = text.indexOf('"', start + 1);
  while (at >= 0 && isEscaped(text, at)) at = text.indexOf('"', at + 1);
  return at < 0 ? text.length : at;
}

function isEscaped(text: string, quote: number): boolean {
  let at = quote - 1;
  while (text.charCodeAt(at) === BACKSLASH) at -= 1;
  return (quote - at) % 2 === 0;
}
