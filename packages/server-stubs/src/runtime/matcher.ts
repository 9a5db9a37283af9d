import { decodeText, isEncoded } from './decoding.ts';

const SLASH = 0x2f;
const AUTHORITY = /^[a-z][a-z\d+.-]*:\/\/[^/?]*/i;

/** Piece of a path template between two slashes. */
type Segment =
  | { readonly kind: 'static'; readonly text: string }
  | { readonly kind: 'parameter'; readonly name: string }
  | { readonly kind: 'mixed'; readonly source: string; readonly pieces: readonly Piece[] }
  | { readonly kind: 'greedy'; readonly name: string };

/** A parameter and the literal text that follows it; the first piece may have no parameter. */
type Piece = { readonly name: string | undefined; readonly literal: string };

/** What stands at the end of a path. */
interface Match<Leaf> {
  readonly leaf: Leaf;
  /** Values of the parameters as they came, in the order of the template. */
  readonly values: readonly string[];
  /** Whether the path may differ from what it stands for. */
  readonly isEncoded: boolean;
}

interface Matcher<Leaf> {
  /** The leaf of a template; made when the template is new. */
  leafOf(segments: readonly Segment[]): Leaf;
  /** @param path of a request, as sent, beginning with a slash */
  find(path: string): Match<Leaf> | undefined;
}

class Node<Leaf> {
  leaf: Leaf | undefined;
  readonly statics = new Map<string, Node<Leaf>>();
  /** The literal that all paths through here have; found without cutting the path up. */
  only: { readonly text: string; readonly node: Node<Leaf> } | undefined;
  /** Those with the most literal text first. */
  readonly mixed: { source: string; pieces: readonly Piece[]; node: Node<Leaf> }[] = [];
  parameter: Node<Leaf> | undefined;
  greedy: Node<Leaf> | undefined;
}

/**
 * A trie over segments. A literal beats a mixed segment, that beats a parameter, and a parameter beats
 * a greedy one; where the rest of the path then fits nothing, the next is tried. Each node is visited
 * once at most, whatever the path.
 */
export function createMatcher<Leaf>(createLeaf: () => Leaf): Matcher<Leaf> {
  const root = new Node<Leaf>();
  let isNoted = false;
  // Clients repeat themselves: most calls of a storage have the same few paths.
  let lastPath: string | undefined;
  let last: Match<Leaf> | undefined;
  return {
    leafOf(segments) {
      const node = segments.reduce(childOf, root);
      node.leaf ??= createLeaf();
      isNoted = false;
      lastPath = undefined;
      return node.leaf;
    },
    find(path) {
      if (path === lastPath) return last;
      if (!isNoted) noteOnly(root);
      isNoted = true;
      const values: string[] = [];
      const encoded = isEncoded(path);
      const leaf = walk(root, path, 1, values, encoded);
      lastPath = path;
      last = leaf === undefined ? undefined : { leaf, values, isEncoded: encoded };
      return last;
    },
  };
}

/** Works out `only` for all nodes, once the trie is complete. */
function noteOnly<Leaf>(node: Node<Leaf>): void {
  const children = [...node.statics];
  const others = [...node.mixed.map((mixed) => mixed.node), node.parameter, node.greedy];
  const [first] = children;
  const isOnly = children.length === 1 && others.every((other) => other === undefined);
  node.only = isOnly && first ? { text: first[0], node: first[1] } : undefined;
  for (const child of [...children.map(([, next]) => next), ...others]) {
    if (child !== undefined) noteOnly(child);
  }
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

function walk<Leaf>(
  node: Node<Leaf>,
  path: string,
  start: number,
  values: string[],
  encoded: boolean,
): Leaf | undefined {
  const { only } = node;
  if (only !== undefined && !encoded) {
    if (!path.startsWith(only.text, start)) return undefined;
    const end = start + only.text.length;
    if (end === path.length) return only.node.leaf;
    return path.charCodeAt(end) === SLASH
      ? walk(only.node, path, end + 1, values, encoded)
      : undefined;
  }
  const slash = path.indexOf('/', start);
  const segment = slash < 0 ? path.slice(start) : path.slice(start, slash);
  const count = values.length;
  const literal = encoded ? decodeText(segment) : segment;
  const named = literal === undefined ? undefined : node.statics.get(literal);
  if (named !== undefined) {
    const found = enter(named, path, slash, values, encoded);
    if (found !== undefined) return found;
    values.length = count;
  }
  if (segment !== '') {
    for (const { pieces, node: next } of node.mixed) {
      if (!matchMixed(pieces, segment, values)) continue;
      const found = enter(next, path, slash, values, encoded);
      if (found !== undefined) return found;
      values.length = count;
    }
    if (node.parameter !== undefined) {
      values.push(segment);
      const found = enter(node.parameter, path, slash, values, encoded);
      if (found !== undefined) return found;
      values.length = count;
    }
  }
  return node.greedy === undefined ? undefined : takeRest(node, path, start, values);
}

/** Goes on in the next node; a `slash` below 0 ends the path. */
function enter<Leaf>(
  node: Node<Leaf>,
  path: string,
  slash: number,
  values: string[],
  encoded: boolean,
): Leaf | undefined {
  return slash < 0 ? node.leaf : walk(node, path, slash + 1, values, encoded);
}

/** A tail of nothing is the path without a tail: `/{name}/` equals `/{name}`. */
function takeRest<Leaf>(
  node: Node<Leaf>,
  path: string,
  start: number,
  values: string[],
): Leaf | undefined {
  if (start >= path.length) return node.leaf;
  values.push(path.slice(start));
  return node.greedy?.leaf;
}

/**
 * Matches a segment such as `{base}...{head}` in linear time: each parameter takes at least one
 * character and ends where the literal after it first stands; the last literal must end the segment.
 *
 * @returns whether it matches; the raw values are then added to `values`
 */
function matchMixed(pieces: readonly Piece[], segment: string, values: string[]): boolean {
  const count = values.length;
  let at = 0;
  for (let index = 0; index < pieces.length; index += 1) {
    const { name, literal } = pieces[index] as Piece;
    const end = endOf(segment, at, name !== undefined, literal, index === pieces.length - 1);
    if (end < 0) {
      values.length = count;
      return false;
    }
    if (name !== undefined) values.push(segment.slice(at, end));
    at = end + literal.length;
  }
  return true;
}

/** Where the literal begins, or -1. */
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

/** A request target taken apart (RFC 9112, section 3.2), as sent. */
interface Target {
  readonly path: string;
  /** Without the question mark. */
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
