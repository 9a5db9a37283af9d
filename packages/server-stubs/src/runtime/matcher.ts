import { decodeText } from './decoding.ts';

const AUTHORITY = /^[a-z][a-z\d+.-]*:\/\/[^/?]*/i;

type Segment =
  | { readonly kind: 'static'; readonly text: string }
  | { readonly kind: 'parameter'; readonly name: string }
  | { readonly kind: 'mixed'; readonly pieces: readonly Piece[] }
  | { readonly kind: 'greedy'; readonly name: string };

/** A parameter and the literal text that follows it. The first piece may have no parameter. */
type Piece = { readonly name: string | undefined; readonly literal: string };

export type Matcher<Leaf> = ReturnType<typeof createMatcher<Leaf>>;

class Node<Leaf> {
  leaf: Leaf | undefined;
  readonly statics = new Map<string, Node<Leaf>>();
  /** Sorted by the length of literal text, longest first. */
  readonly mixed: { source: string; pieces: readonly Piece[]; node: Node<Leaf> }[] = [];
  parameter: Node<Leaf> | undefined;
  greedy: Node<Leaf> | undefined;
}

/**
 * A trie of path segments. The order of precedence is: literal segments, mixed segments, parameters, greedy
 * parameters. If the rest of the path does not match a candidate, the next one is tried; no node is visited
 * more than once.
 */
export function createMatcher<Leaf>(createLeaf: () => Leaf) {
  const root = new Node<Leaf>();
  return {
    leafOf(segments: readonly Segment[]): Leaf {
      const node = segments.reduce(childOf, root);
      node.leaf ??= createLeaf();
      return node.leaf;
    },
    /** Returns the leaf and the raw parameter values, in template order. */
    find(path: string): { readonly leaf: Leaf; readonly values: readonly string[] } | undefined {
      const values: string[] = [];
      const leaf = walk(root, path, 1, values);
      return leaf === undefined ? undefined : { leaf, values };
    },
  };
}

function childOf<Leaf>(node: Node<Leaf>, segment: Segment): Node<Leaf> {
  switch (segment.kind) {
    case 'parameter':
      node.parameter ??= new Node();
      return node.parameter;
    case 'greedy':
      node.greedy ??= new Node();
      return node.greedy;
    case 'static': {
      const child = node.statics.get(segment.text) ?? new Node<Leaf>();
      node.statics.set(segment.text, child);
      return child;
    }
    case 'mixed': {
      const shape = segment.pieces.map(({ name, literal }) => (name ? `{}${literal}` : literal));
      const source = shape.join('');
      const known = node.mixed.find((other) => other.source === source);
      if (known) return known.node;
      const child = new Node<Leaf>();
      node.mixed.push({ source, pieces: segment.pieces, node: child });
      node.mixed.sort((a, b) => b.source.length - a.source.length);
      return child;
    }
  }
}

/** Finds the leaf for the segments of a path from `start`, and adds their parameters to `values`. */
function walk<Leaf>(
  node: Node<Leaf>,
  path: string,
  start: number,
  values: string[],
): Leaf | undefined {
  // The last segment has no slash after it.
  if (start > path.length) return node.leaf;
  const slash = path.indexOf('/', start);
  const end = slash < 0 ? path.length : slash;
  const segment = path.slice(start, end);
  const literal = decodeText(segment);
  const named = literal === undefined ? undefined : node.statics.get(literal);
  if (named !== undefined) {
    const leaf = walk(named, path, end + 1, values);
    if (leaf !== undefined) return leaf;
  }
  if (segment !== '') {
    const count = values.length;
    for (const { pieces, node: next } of node.mixed) {
      const found = matchMixed(pieces, segment);
      if (found === undefined) continue;
      values.push(...found);
      const leaf = walk(next, path, end + 1, values);
      if (leaf !== undefined) return leaf;
      values.length = count;
    }
    if (node.parameter !== undefined) {
      values.push(segment);
      const leaf = walk(node.parameter, path, end + 1, values);
      if (leaf !== undefined) return leaf;
      values.length = count;
    }
  }
  if (node.greedy === undefined) return undefined;
  // An empty tail does not count: `/{name}/` equals `/{name}`.
  if (start === path.length) return node.leaf;
  values.push(path.slice(start));
  return node.greedy.leaf;
}

/**
 * In linear time: each parameter has at least one character and ends at the first occurrence of the literal
 * after it. The last literal must end the segment.
 */
function matchMixed(pieces: readonly Piece[], segment: string): string[] | undefined {
  const values: string[] = [];
  let at = 0;
  for (const [index, { name, literal }] of pieces.entries()) {
    const end = endOf(segment, at, name !== undefined, literal, index === pieces.length - 1);
    if (end < 0) return undefined;
    if (name !== undefined) values.push(segment.slice(at, end));
    at = end + literal.length;
  }
  return values;
}

function endOf(
  segment: string,
  at: number,
  hasValue: boolean,
  literal: string,
  isLast: boolean,
): number {
  if (!hasValue) return segment.startsWith(literal, at) ? at : -1;
  if (!isLast) return segment.indexOf(literal, at + 1);
  const end = segment.length - literal.length;
  return end > at && segment.endsWith(literal) ? end : -1;
}

/** The parameters in `greedy` match the rest of the path. */
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
    return { kind: 'mixed', pieces };
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

export function namesOf(segments: readonly Segment[]): readonly string[] {
  return segments.flatMap((segment) => {
    if (segment.kind === 'static') return [];
    if (segment.kind !== 'mixed') return [segment.name];
    return segment.pieces.flatMap(({ name }) => (name === undefined ? [] : [name]));
  });
}

/** The parts of a request target (RFC 9112, section 3.2), as sent. */
interface Target {
  readonly path: string;
  readonly query: string | undefined;
}

export function splitTarget(url: string): Target {
  const target = url.charCodeAt(0) === 0x2f ? url : toOriginForm(url);
  const mark = target.indexOf('?');
  return mark < 0
    ? { path: target, query: undefined }
    : { path: target.slice(0, mark), query: target.slice(mark + 1) };
}

/** RFC 9112, section 3.2.2: "a server MUST accept the absolute-form in requests". */
function toOriginForm(url: string): string {
  const rest = url.replace(AUTHORITY, '');
  return rest.startsWith('/') ? rest : `/${rest}`;
}
