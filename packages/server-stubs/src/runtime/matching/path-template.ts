/** Piece of a path template between two slashes. */
export type Segment =
  | { readonly kind: 'static'; readonly text: string }
  | { readonly kind: 'parameter'; readonly name: string }
  | { readonly kind: 'mixed'; readonly source: string; readonly pieces: readonly Piece[] }
  | { readonly kind: 'greedy'; readonly name: string };

/** A parameter and the literal text that follows it; the first piece may have no parameter. */
export type Piece = { readonly name: string | undefined; readonly literal: string };

/** Reads `/pets/{id}:publish`. Segments named in `greedy` take all that follows. */
export function toSegments(template: string, greedy: ReadonlySet<string>): readonly Segment[] {
  return template.slice(1).split('/').map(toSegment);

  function toSegment(source: string): Segment {
    const pieces = toPieces(source);
    const [first, second] = pieces;
    if (first && !second && first.name === undefined) {
      return { kind: 'static', text: decode(first.literal) };
    }
    if (first?.name !== undefined && !second && first.literal === '') {
      return { kind: greedy.has(first.name) ? 'greedy' : 'parameter', name: first.name };
    }
    return { kind: 'mixed', source, pieces };
  }
}

function toPieces(source: string): readonly Piece[] {
  const [start = '', ...rest] = source.split('{');
  const pieces = rest.map((text): Piece => {
    const end = text.indexOf('}');
    return { name: text.slice(0, end), literal: text.slice(end + 1) };
  });
  return start !== '' || pieces.length === 0
    ? [{ name: undefined, literal: start }, ...pieces]
    : pieces;
}

function decode(literal: string): string {
  try {
    return decodeURIComponent(literal);
  } catch {
    return literal;
  }
}

/** Names of the parameters of a template, in their order. */
export function namesOf(segments: readonly Segment[]): readonly string[] {
  return segments.flatMap((segment) => {
    if (segment.kind === 'static') return [];
    if (segment.kind !== 'mixed') return [segment.name];
    return segment.pieces.flatMap(({ name }) => (name === undefined ? [] : [name]));
  });
}
