/** What a client did. `copy-new` and `move-new` must not replace a file. */
export type CallKind = 'upload' | 'read' | 'copy' | 'copy-new' | 'move' | 'move-new' | 'delete';

/** A call, and when it was made. All times are numbers of one sequence. */
export interface Call {
  readonly kind: CallKind;
  readonly file: string;
  /** Destination of a copy or move. */
  readonly to?: string;
  readonly invoked: number;
  /** `Infinity` if the outcome is unknown: the call has its effect at any later time, or never. */
  readonly returned: number;
  /** `ok`, `missing` (no such file), `exists` (at the destination), or a content: uploaded or read, never `damaged`. */
  readonly outcome: string;
}

/** One line per call, such as `3..7 move a b ok`. */
export function toText(calls: readonly Call[]): string {
  return calls
    .toSorted((one, other) => one.invoked - other.invoked)
    .map(({ kind, file, to, invoked, returned, outcome }) => {
      const end = returned === Number.POSITIVE_INFINITY ? '?' : returned;
      return [`${invoked}..${end}`, kind, file, to, outcome].filter(Boolean).join(' ');
    })
    .join('\n');
}

/** The content of each file; undefined if it does not exist. */
export type Contents = readonly (string | undefined)[];

/** What a call holds between two of its steps. */
export type Held = string | undefined;

/** A change that is atomic. Returns undefined if it is impossible in this state. */
export type Step = (contents: Contents, held: Held) => readonly [Contents, Held?] | undefined;

/**
 * Returns the steps of a call, in order. Each is one moment between the start and the end of the call. A call of unknown
 * outcome may stop after any of them.
 *
 * A copy reads its source at one moment and writes its destination at a later one. A move is a single step on disk. An
 * object store copies and then deletes, and readers may see both files in between.
 */
export function toSteps(
  { kind, file, to = file, returned, outcome }: Call,
  files: readonly string[],
  isMoveAtomic: boolean,
): readonly Step[] {
  const [from, at] = [files.indexOf(file), files.indexOf(to)];
  const isUnknown = returned === Number.POSITIVE_INFINITY;
  const isNew = kind === 'copy-new' || kind === 'move-new';

  const expectContent =
    (index: number, isRight: (content: string | undefined) => boolean): Step =>
    (contents) =>
      isRight(contents[index]) ? [contents] : undefined;
  const isPresent = (content: string | undefined) => content !== undefined;
  const hold: Step = (contents) =>
    contents[from] === undefined ? undefined : [contents, contents[from]];
  const write: Step = (contents, held) =>
    isNew && contents[at] !== undefined ? undefined : [contents.with(at, held), held];
  const remove: Step = (contents, held) =>
    contents[from] === held ? [contents.with(from, undefined)] : undefined;
  const rename: Step = (contents) => {
    if (contents[from] === undefined || (isNew && contents[at] !== undefined)) return undefined;
    return [contents.with(at, contents[from]).with(from, undefined)];
  };

  if (outcome === 'damaged') return [() => undefined];
  if (outcome === 'missing') return [expectContent(from, (content) => content === undefined)];
  if (outcome === 'exists') return [expectContent(from, isPresent), expectContent(at, isPresent)];
  switch (kind) {
    case 'upload':
      return [(contents) => [contents.with(from, outcome)]];
    case 'read':
      return isUnknown ? [] : [expectContent(from, (content) => content === outcome)];
    case 'delete':
      return [(contents, held) => hold(contents, held) && [contents.with(from, undefined)]];
    case 'copy':
    case 'copy-new':
      return [hold, write];
    default:
      return isMoveAtomic ? [rename] : [hold, write, remove];
  }
}
