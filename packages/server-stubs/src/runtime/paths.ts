import type { IncomingMessage } from 'node:http';
import { decodeText, toPlain } from './encoding.ts';
import { removeRawHeader } from './headers.ts';

/** The operations of a path, by method. */
export type Operations<Operation> = Map<string, Operation>;

/** The operations for a path as sent, and the raw values of its parameters, in the order of the template. */
export interface Match<Operation> {
  readonly template: Template<Operation>;
  readonly values: readonly string[];
}

/** Decoded text, or the literal text around parameters: `{a}.{b}` is `['', '.', '']`. */
type Segment = string | readonly string[];

interface Template<Operation> {
  readonly segments: readonly Segment[];
  /** Whether a last parameter, which is not in `segments`, takes the rest of the path. */
  readonly isGreedy: boolean;
  /** Equal for templates whose parameters only differ in their names. */
  readonly shape: string;
  readonly operations: Operations<Operation>;
}

// In shapes, these sort after any other text: `mine` before `{id}.json`, then `{id}`, and the rest of the path last.
const PARAMETER = '\uffff';
const END = '\ufffe';
const REST = PARAMETER + PARAMETER;

/** The path templates of a document. */
export class Paths<Operation> {
  /** Sorted by shape, so that the first match is the most concrete one. */
  readonly #templates: Template<Operation>[] = [];

  operationsAt(path: string, isGreedy: boolean): Operations<Operation> {
    const texts = path.slice(1).split('/');
    const segments = (isGreedy ? texts.slice(0, -1) : texts).map(toSegment);
    const shapes = segments.map((each) => `${[each].flat().join(PARAMETER)}${END}`);
    const shape = shapes.join('') + (isGreedy ? REST : '');
    const known = this.#templates.find((template) => template.shape === shape);
    if (known !== undefined) return known.operations;
    const operations: Operations<Operation> = new Map();
    this.#templates.push({ segments, isGreedy, shape, operations });
    this.#templates.sort((a, b) => (a.shape < b.shape ? -1 : 1));
    return operations;
  }

  find(path: string): Match<Operation> | undefined {
    const found = this.#match(path);
    if (found !== undefined || !path.endsWith('/')) return found;
    // An empty rest does not count: `/{name}/` equals `/{name}`.
    const parent = this.#match(path.slice(0, -1));
    const hasRest = this.#templates.some(({ shape }) => shape === parent?.template.shape + REST);
    return hasRest ? parent : undefined;
  }

  #match(path: string): Match<Operation> | undefined {
    const raws = path.slice(1).split('/');
    const texts = raws.map((raw) => decodeText(raw));
    for (const template of this.#templates) {
      const values = matchSegments(template, raws, texts);
      if (values !== undefined) return { template, values };
    }
    return undefined;
  }
}

/** The names of the parameters in a template. */
export function namesOf(path: string): readonly string[] {
  return Array.from(path.matchAll(/\{(.*?)\}/g), ([, name = '']) => name);
}

function toSegment(text: string): Segment {
  const literals = text.split(/\{.*?\}/);
  return literals.length === 1 ? (decodeText(text) ?? text) : literals.map(toLiteral);
}

/** Documents may contain text in its plain form, where requests have it percent-encoded. */
function toLiteral(text: string): string {
  return toPlain(text.replace(/[^\x20-\x7e]+/g, (part) => encodeURIComponent(part.toWellFormed())));
}

function matchSegments(
  { segments, isGreedy }: Template<unknown>,
  raws: readonly string[],
  texts: readonly (string | undefined)[],
): readonly string[] | undefined {
  const count = segments.length;
  if (isGreedy ? raws.length <= count : raws.length !== count) return undefined;
  // First, because comparing text is faster than splitting it.
  const isText = (segment: Segment, index: number) =>
    typeof segment !== 'string' || segment === texts[index];
  if (!segments.every(isText)) return undefined;
  const values: string[] = [];
  for (let index = 0; index < count; index += 1) {
    const segment = segments[index] as Segment;
    if (typeof segment === 'string') continue;
    const found = split(raws[index] as string, segment);
    if (found === undefined) return undefined;
    values.push(...found);
  }
  if (!isGreedy) return values;
  const rest = raws.slice(count).join('/');
  return rest === '' ? undefined : [...values, rest];
}

/**
 * In linear time: each parameter has at least one character and ends at the first occurrence of the literal
 * after it. The last literal must end the segment.
 */
function split(raw: string, literals: readonly string[]): string[] | undefined {
  const text = toPlain(raw);
  const [first = ''] = literals;
  if (!text.startsWith(first)) return undefined;
  const values: string[] = [];
  let at = first.length;
  for (let index = 1; index < literals.length; index += 1) {
    const literal = literals[index] as string;
    const isLast = index === literals.length - 1;
    const end = isLast ? text.length - literal.length : text.indexOf(literal, at + 1);
    if (end <= at || !text.startsWith(literal, end)) return undefined;
    values.push(text.slice(at, end));
    at = end + literal.length;
  }
  return values;
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
