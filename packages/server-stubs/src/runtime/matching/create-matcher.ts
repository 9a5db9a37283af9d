import { decodeText, isEncoded } from './decode-text.ts';
import { matchMixed } from './match-mixed.ts';
import type { Piece, Segment } from './path-template.ts';

/** What stands at the end of a path. */
interface Match<Leaf> {
  readonly leaf: Leaf;
  /** Values of the parameters as they came, in the order of the template. */
  readonly values: readonly string[];
  /** Whether the path may differ from what it stands for. */
  readonly isEncoded: boolean;
}

export interface Matcher<Leaf> {
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

const SLASH = 0x2f;

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
