/**
 * Names on disk for one segment of a path. They are readable where they can be, and safe on any disk:
 *
 * - `a-z 0-9 - _ . , ( )`, single spaces and Chinese characters (U+4E00 to U+9FFF) stand for themselves;
 *   none of them has a case, a composed form, or a meaning to a file system;
 * - `^a` is the capital letter `A`, for disks that know no case;
 * - `%c3%a9` is any other character, byte for byte in UTF-8; so is a dot or space at either end, and
 *   the first letter of a name that Windows keeps for itself.
 */
const PLAIN = /^[a-z0-9\-_.,() \u4e00-\u9fff]$/;
/** Windows cuts dots and spaces off the end; a leading dot hides a file. */
const PLAIN_INSIDE_ONLY = /^[. ]$/;
/** "Naming Files, Paths, and Namespaces" of the Windows documentation. */
const RESERVED_NAME = /^(?:con|prn|aux|nul|com\d|lpt\d) *(?:\.|$)/;
/** Disks allow 255 bytes; what is left has room for the marks and for escaping both ends. */
const PIECE_BYTES = 240;

/**
 * Pieces of at most 255 bytes: a segment may be longer than disks let a name be. No two segments give
 * the same pieces, also where a disk folds case or normalises Unicode.
 *
 * @example
 * encodeSegment('Été.txt'); // ['%c3%89t%c3%a9.txt']
 * encodeSegment('CON'); // ['^c^o^n']
 * encodeSegment('nul'); // ['%6eul']
 */
export function encodeSegment(segment: string): readonly string[] {
  const pieces: string[] = [];
  let piece: string[] = [];
  let bytes = 0;
  for (const character of segment) {
    const unit = toUnit(character);
    const unitBytes = Buffer.byteLength(unit);
    if (bytes + unitBytes > PIECE_BYTES) {
      pieces.push(toName(piece));
      piece = [];
      bytes = 0;
    }
    piece.push(unit);
    bytes += unitBytes;
  }
  pieces.push(toName(piece));
  return pieces;
}

/** The segment, or undefined where no segment has these pieces. */
export function decodeSegment(pieces: readonly string[]): string | undefined {
  const bytes = pieces.join('').replace(/\^([a-z])/g, (_, letter: string) => letter.toUpperCase());
  try {
    const segment = decodeURIComponent(bytes);
    const again = encodeSegment(segment);
    const isSame = again.length === pieces.length && again.every((name, at) => name === pieces[at]);
    return isSame ? segment : undefined;
  } catch {
    return undefined;
  }
}

function toUnit(character: string): string {
  if (PLAIN.test(character)) return character;
  return /^[A-Z]$/.test(character) ? `^${character.toLowerCase()}` : toEscape(character);
}

function toEscape(character: string): string {
  return [...Buffer.from(character)]
    .map((byte) => `%${byte.toString(16).padStart(2, '0')}`)
    .join('');
}

function toName(units: readonly string[]): string {
  const isReserved = RESERVED_NAME.test(units.join(''));
  const last = units.length - 1;
  return units
    .map((unit, index) => {
      const isEnd = index === 0 || index === last;
      const mustEscape = (isEnd && PLAIN_INSIDE_ONLY.test(unit)) || (isReserved && index === 0);
      return mustEscape ? toEscape(unit) : unit;
    })
    .join('');
}
