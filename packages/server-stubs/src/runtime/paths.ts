import type { IncomingMessage } from 'node:http';
import { removeRawHeader } from './headers.ts';
import { decodeText } from './parameters.ts';

/** Literal text and the names of parameters, in turn: `{a}.{b}` is `['', 'a', '.', 'b', '']`. */
type Pieces = readonly string[];

/** The operations of a path, by method. */
export type Leaf<Operation> = Map<string, Operation>;

/** The leaf for a path as sent, and the raw values of its parameters, in the order of the template. */
export interface Match<Operation> {
  readonly leaf: Leaf<Operation>;
  readonly values: readonly string[];
}

interface Node<Operation> {
  leaf: Leaf<Operation> | undefined;
  readonly literals: Map<string, Node<Operation>>;
  /** Segments such as `{a}.{b}`, sorted by the length of literal text, longest first. */
  readonly mixed: {
    readonly shape: string;
    readonly pieces: Pieces;
    readonly node: Node<Operation>;
  }[];
  parameter: Node<Operation> | undefined;
  /** A parameter that takes the rest of the path. */
  rest: Node<Operation> | undefined;
}

const createNode = <Operation>(): Node<Operation> => ({
  leaf: undefined,
  literals: new Map(),
  mixed: [],
  parameter: undefined,
  rest: undefined,
});

/**
 * A trie of path segments. The order of precedence is: literal segments, mixed segments, parameters, and the rest of
 * the path. If what follows does not match a candidate, the next one is tried; no node is visited more than once.
 */
export class Paths<Operation> {
  readonly #root = createNode<Operation>();

  /**
   * Returns the operations of a path template, which templates share if only the names of their parameters differ.
   *
   * @param isGreedy whether a parameter takes the rest of the path
   */
  leafOf(template: string, isGreedy: (name: string) => boolean): Leaf<Operation> {
    let node = this.#root;
    for (const segment of toSegments(template)) node = childOf(node, segment, isGreedy);
    node.leaf ??= new Map();
    return node.leaf;
  }

  find(path: string): Match<Operation> | undefined {
    const values: string[] = [];
    const leaf = walk(this.#root, path, 1, values);
    return leaf === undefined ? undefined : { leaf, values };
  }
}

/** The names of the parameters in a path template. */
export function namesOf(template: string): readonly string[] {
  return toSegments(template).flatMap((pieces) => pieces.filter((_, index) => index % 2 === 1));
}

function toSegments(template: string): readonly Pieces[] {
  return template
    .slice(1)
    .split('/')
    .map((segment) => segment.split(/[{}]/));
}

function childOf<Operation>(
  node: Node<Operation>,
  pieces: Pieces,
  isGreedy: (name: string) => boolean,
): Node<Operation> {
  const [before = '', name = '', after = ''] = pieces;
  if (pieces.length === 1) {
    const literal = decodeText(before) ?? before;
    const child = node.literals.get(literal) ?? createNode();
    node.literals.set(literal, child);
    return child;
  }
  if (pieces.length === 3 && before === '' && after === '') {
    const kind = isGreedy(name) ? 'rest' : 'parameter';
    const child = node[kind] ?? createNode();
    node[kind] = child;
    return child;
  }
  const literals = pieces.map((piece, index) => (index % 2 === 1 ? piece : toLiteral(piece)));
  const shape = literals.map((piece, index) => (index % 2 === 1 ? '{}' : piece)).join('');
  const known = node.mixed.find((each) => each.shape === shape);
  if (known) return known.node;
  const child = createNode<Operation>();
  node.mixed.push({ shape, pieces: literals, node: child });
  node.mixed.sort((a, b) => b.shape.length - a.shape.length);
  return child;
}

/** Documents may contain text in its plain form, where requests have it percent-encoded. */
function toLiteral(text: string): string {
  return toPlain(
    text.replace(/[^\x20-\x7e]+/g, (plain) => encodeURIComponent(plain.toWellFormed())),
  );
}

/** Finds the leaf for the segments of a path from `start`, and adds their parameters to `values`. */
function walk<Operation>(
  node: Node<Operation>,
  path: string,
  start: number,
  values: string[],
): Leaf<Operation> | undefined {
  // The last segment has no slash after it.
  if (start > path.length) return node.leaf;
  const slash = path.indexOf('/', start);
  const end = slash < 0 ? path.length : slash;
  const segment = path.slice(start, end);
  const count = values.length;
  const follow = (next: Node<Operation> | undefined, ...found: readonly string[]) => {
    if (next === undefined) return undefined;
    values.push(...found);
    const leaf = walk(next, path, end + 1, values);
    if (leaf === undefined) values.length = count;
    return leaf;
  };
  const literal = decodeText(segment);
  const named = literal === undefined ? undefined : follow(node.literals.get(literal));
  if (named !== undefined) return named;
  if (segment !== '') {
    for (const { pieces, node: next } of node.mixed) {
      const found = splitMixed(pieces, toPlain(segment));
      const leaf = found && follow(next, ...found);
      if (leaf !== undefined) return leaf;
    }
    const leaf = follow(node.parameter, segment);
    if (leaf !== undefined) return leaf;
  }
  if (node.rest === undefined) return undefined;
  // An empty rest does not count: `/{name}/` equals `/{name}`.
  if (start === path.length) return node.leaf;
  values.push(path.slice(start));
  return node.rest.leaf;
}

/**
 * In linear time: each parameter has at least one character and ends at the first occurrence of the literal
 * after it. The last literal must end the segment.
 */
function splitMixed([first = '', ...rest]: Pieces, segment: string): string[] | undefined {
  if (!segment.startsWith(first)) return undefined;
  const values: string[] = [];
  let at = first.length;
  for (let index = 1; index < rest.length; index += 2) {
    const literal = rest[index] as string;
    const isLast = index === rest.length - 1;
    const end = isLast ? segment.length - literal.length : segment.indexOf(literal, at + 1);
    if (end <= at || !segment.startsWith(literal, end)) return undefined;
    values.push(segment.slice(at, end));
    at = end + literal.length;
  }
  return values;
}

/** RFC 3986, section 6.2.2.2: percent-encoded unreserved characters are equal to their plain form. */
function toPlain(text: string): string {
  return text.replace(/%[\da-f]{2}/gi, (encoded) => {
    const character = String.fromCharCode(Number.parseInt(encoded.slice(1), 16));
    return /[\w.~-]/.test(character) ? character : encoded.toUpperCase();
  });
}

/** The origin of an absolute-form request target. Only `http` and `https` targets name a resource of this server. */
const ORIGIN = /^https?:\/\/([^/?#]*)/i;

/**
 * RFC 9112, section 3.2.2: a server that receives an absolute-form target "MUST ignore the received Host header field …
 * and instead replace it with the host information of the request-target".
 */
export function replaceHost({ url = '', headers, rawHeaders }: IncomingMessage): void {
  const host = ORIGIN.exec(url)?.[1];
  if (host === undefined) return;
  removeRawHeader(rawHeaders, 'host');
  rawHeaders.unshift('Host', host);
  headers.host = host;
}

/** The path and query of a request target in origin or absolute form (RFC 9112, section 3.2), as sent. */
export function splitTarget(url: string): { path: string; query: string | undefined } {
  const rest = url.replace(ORIGIN, '');
  const target = rest.startsWith('/') ? rest : `/${rest}`;
  const mark = target.indexOf('?');
  if (mark < 0) return { path: target, query: undefined };
  return { path: target.slice(0, mark), query: target.slice(mark + 1) };
}
