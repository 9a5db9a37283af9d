import { decodeText, decodeUnreserved, encodeText } from './encoding.ts';

/** The operations for a path as sent, by method, and the raw values of its parameters, in the order of the template. */
export interface Match<Operation> {
  readonly operations: Map<string, Operation>;
  readonly values: readonly string[];
}

/** Literal text and the names of parameters, in turn: `{a}.{b}` is `['', 'a', '.', 'b', '']`. */
type Pieces = readonly string[];

class Node<Operation> {
  operations: Map<string, Operation> | undefined;
  readonly literals = new Map<string, Node<Operation>>();
  /** Segments with parameters: more literal text comes first, and then fewer parameters. */
  readonly templates: { pieces: Pieces; node: Node<Operation> }[] = [];
  /** The operations whose last parameter takes the rest of the path. */
  rest: Map<string, Operation> | undefined;
}

/**
 * A trie of path segments, in which literal segments precede those with parameters, and the rest of the path is last.
 * If what follows does not match a candidate, the next one is tried; no node is visited more than once.
 */
export class Paths<Operation> {
  readonly #root = new Node<Operation>();

  /**
   * Adds an operation, unless there is one for the same requests, which is then returned.
   *
   * @param greedy the parameter that takes the rest of the path. It must be the last segment
   */
  add(method: string, template: string, greedy: string | undefined, operation: Operation) {
    const segments = toSegments(template);
    const isGreedy = greedy !== undefined && template.endsWith(`/{${greedy}}`);
    const node = segments.slice(0, isGreedy ? -1 : undefined).reduce(childOf, this.#root);
    const end = isGreedy ? 'rest' : 'operations';
    const operations = node[end] ?? new Map<string, Operation>();
    const existing = operations.get(method);
    if (existing === undefined) node[end] = operations.set(method, operation);
    return existing;
  }

  find(path: string): Match<Operation> | undefined {
    const values: string[] = [];
    const operations = walk(this.#root, path, 1, values);
    return operations === undefined ? undefined : { operations, values };
  }
}

export function parameterNames(template: string): readonly string[] {
  return toSegments(template).flatMap((pieces) => pieces.filter((_, index) => index % 2 === 1));
}

function toSegments(template: string): readonly Pieces[] {
  const segments = template.slice(1).split('/');
  return segments.map((segment) => segment.split(/[{}]/));
}

/**
 * Templates whose parameters only differ in their names share a node. Documents may contain text in its plain form,
 * where requests have it percent-encoded.
 */
function childOf<Operation>(node: Node<Operation>, pieces: Pieces): Node<Operation> {
  const child = new Node<Operation>();
  if (pieces.length === 1) {
    const [text = ''] = pieces;
    const literal = decodeText(encodeText(text)) ?? text;
    const existing = node.literals.get(literal);
    if (existing === undefined) node.literals.set(literal, child);
    return existing ?? child;
  }
  const unnamed = pieces.map((piece, index) => {
    return index % 2 === 1 ? '{}' : decodeUnreserved(encodeText(piece));
  });
  const shape = unnamed.join('');
  const existing = node.templates.find((template) => template.pieces.join('') === shape);
  if (existing !== undefined) return existing.node;
  node.templates.push({ pieces: unnamed, node: child });
  const literalLength = (pieces: Pieces) => pieces.join('').replaceAll('{}', '').length;
  node.templates.sort(
    ({ pieces: a }, { pieces: b }) => literalLength(b) - literalLength(a) || a.length - b.length,
  );
  return child;
}

function walk<Operation>(
  node: Node<Operation>,
  path: string,
  start: number,
  values: string[],
): Map<string, Operation> | undefined {
  // The last segment has no slash after it.
  if (start > path.length) return node.operations;
  const slash = path.indexOf('/', start);
  const end = slash < 0 ? path.length : slash;
  const segment = path.slice(start, end);
  const literal = decodeText(segment);
  const child = literal === undefined ? undefined : node.literals.get(literal);
  const exact = child && walk(child, path, end + 1, values);
  if (exact !== undefined) return exact;
  const count = values.length;
  for (const { pieces, node: next } of node.templates) {
    const found = split(pieces, segment);
    if (found === undefined) continue;
    values.push(...found);
    const operations = walk(next, path, end + 1, values);
    if (operations !== undefined) return operations;
    values.length = count;
  }
  if (node.rest === undefined) return undefined;
  // An empty rest does not count: `/{name}/` equals `/{name}`.
  if (start === path.length) return node.operations;
  values.push(path.slice(start));
  return node.rest;
}

/**
 * In linear time: each parameter has at least one character and ends at the first occurrence of the literal
 * after it. The last literal must end the segment.
 */
function split(pieces: Pieces, segment: string): string[] | undefined {
  const [first = '', , second] = pieces;
  const isParameter = pieces.length === 3 && first === '' && second === '';
  if (isParameter) return segment === '' ? undefined : [segment];
  const text = decodeUnreserved(segment);
  if (!text.startsWith(first)) return undefined;
  const values: string[] = [];
  let at = first.length;
  for (let index = 2; index < pieces.length; index += 2) {
    const literal = pieces[index] as string;
    const isLast = index === pieces.length - 1;
    const end = isLast ? text.length - literal.length : text.indexOf(literal, at + 1);
    if (end <= at || !text.startsWith(literal, end)) return undefined;
    values.push(text.slice(at, end));
    at = end + literal.length;
  }
  return values;
}

/** A request target, as sent. */
export interface Target {
  /** Of an absolute-form target; `undefined` without one. */
  readonly host: string | undefined;
  readonly path: string;
  /** `undefined` without a question mark. */
  readonly query: string | undefined;
}

/** Only `http` and `https` targets name a resource of this server. */
const ORIGIN = /^https?:\/\/([^/?#]*)/i;

/** Splits a request target in origin or absolute form (RFC 9112, section 3.2). */
export function splitTarget(url: string): Target {
  const [origin = '', host] = ORIGIN.exec(url) ?? [];
  const rest = url.slice(origin.length);
  const target = rest.startsWith('/') ? rest : `/${rest}`;
  const mark = target.indexOf('?');
  if (mark < 0) return { host, path: target, query: undefined };
  return { host, path: target.slice(0, mark), query: target.slice(mark + 1) };
}
