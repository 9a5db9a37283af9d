import MiniSearch, {
  type QueryCombination,
  type SearchOptions,
  type SearchResult,
} from 'minisearch';
import { stemmer } from 'stemmer';

/** A part of a page, from one heading to the next. */
export type Section = {
  /** Its address from the root of the site, with the anchor. */
  link: string;
  /** The title of the page. */
  page: string;
  /** The heading; empty for the text before the first one. */
  heading: string;
  /** The heading of the sidebar that the page is below. */
  group: string;
  /** Words that users type to find the page, though it uses others. */
  keywords: string;
  text: string;
};

export type Hit = Section & {
  /** Whether a word of the text is one that was searched for. */
  isMatch: (word: string) => boolean;
};

export type Search = (query: string) => Hit[];

/** Words of a question that say nothing about its subject. */
const STOP_WORDS = new Set(
  'a an and are can do does for from get getting how i in is it my of on or run the to use using what when with'.split(
    ' ',
  ),
);

/** Words that users type, and the words that the pages use instead. */
const SYNONYMS: Record<string, string[]> = {
  cert: ['tls', 'certificate'],
  config: ['configuration', 'setting'],
  copy: ['cp'],
  cors: ['origin'],
  delete: ['remove', 'rm'],
  docker: ['container', 'image'],
  env: ['environment', 'envId'],
  fake: ['mock'],
  https: ['tls'],
  login: ['authentication', 'credentials'],
  max: ['limit', 'maximum'],
  metrics: ['monitoring', 'prometheus'],
  own: ['your'],
  sse: ['event'],
  ssl: ['tls'],
};

/** How much the pages below a heading of the sidebar count. The first pages to read come first. */
const WEIGHTS: Record<string, number> = {
  'Quick starts': 1.6,
  Guides: 1.6,
  Packages: 1.2,
  Reference: 1,
  Decisions: 0.5,
  Project: 0.4,
};

/** Pages that repeat what others explain. */
const REPEATING =
  /^\/(reference\/(traceability|mutants|comparison|generators)|glossary|project\/changelog)/;

/** Sections of links only. */
const LINKS = /^Next steps$/;

const LONGEST_QUERY = 100;

/**
 * Creates the search over the sections of the site. Sections that contain every word come first, then those that
 * contain some of them. If no section has every word, words that are spelled almost alike count too.
 *
 * @returns a function that returns the sections for a query, best first
 */
export async function createSearch(sections: Section[]): Promise<Search> {
  const index = new MiniSearch<Section & { id: number }>({
    fields: ['page', 'heading', 'group', 'keywords', 'text'],
    tokenize: toTokens,
    processTerm: toTerms,
  });
  // The title is also the heading of the text below it.
  const documents = sections.map((section, id) => ({
    ...section,
    id,
    heading: section.heading || section.page,
  }));
  await index.addAllAsync(documents); // in parts, so that the page stays responsive

  const options: SearchOptions = {
    boost: { page: 4, heading: 5, group: 2, keywords: 12 },
    boostDocument: (id) => toWeight(sections[id]),
    weights: { prefix: 0.5, fuzzy: 0.2 },
  };

  return (query) => {
    const words = query.slice(0, LONGEST_QUERY).match(WORD) ?? [];
    const telling = words.filter((word) => !STOP_WORDS.has(word.toLowerCase()));
    const asked = telling.length > 0 ? telling : words;
    const find = (combineWith: 'AND' | 'OR', fuzzy: number) =>
      index.search({ combineWith, queries: asked.map((word) => toQuery(word, fuzzy)) }, options);
    const every = find('AND', 0);
    const some = every.length > 0 ? find('OR', 0) : [...find('AND', 2), ...find('OR', 2)];
    const found = new Map<number, SearchResult>();
    for (const hit of [...every, ...some]) if (!found.has(hit.id)) found.set(hit.id, hit);
    return [...found].flatMap(([id, { match }]) => {
      const section = sections[id];
      const isMatch = (word: string) =>
        toTokens(word)
          .flatMap(toTerms)
          .some((term) => term in match);
      return section ? { ...section, isMatch } : [];
    });
  };
}

function toWeight(section: Section | undefined): number {
  if (!section) return 0;
  const isMinor = REPEATING.test(section.link) || LINKS.test(section.heading);
  return (WEIGHTS[section.group] ?? 1) * (isMinor ? 0.3 : 1);
}

/** Finds a word, its stem, its synonyms, and words that begin with it. */
function toQuery(word: string, fuzzy: number): QueryCombination {
  const whole: QueryCombination = {
    combineWith: 'OR',
    prefix: word.length > 2,
    fuzzy: word.length > 4 && fuzzy,
    tokenize: (text) => [text],
    queries: [word],
  };
  const [, ...parts] = toTokens(word);
  const synonyms = SYNONYMS[word.toLowerCase()] ?? [];
  return {
    combineWith: 'OR',
    queries: [
      whole,
      ...(parts.length > 0 ? [every(parts.map((part) => toQuery(part, fuzzy)))] : []),
      ...synonyms,
    ],
  };
}

function every(queries: QueryCombination[]): QueryCombination {
  return { combineWith: 'AND', queries };
}

/** A word, or a name of several: `listen.port`, `GW-SSE-UNBUFFERED`. */
const WORD = /[\p{L}\p{N}]+(?:[-._][\p{L}\p{N}]+)*/gu;

/** Where a name such as `tempUrl` or `listen.port` has its parts. */
const SEAM = /[-._]|(?<=[\p{Ll}\p{N}])(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})/u;

/** The words of a text; a name is followed by its parts. */
function toTokens(text: string): string[] {
  return (text.match(WORD) ?? []).flatMap((word) => {
    const parts = word.split(SEAM);
    return parts.length > 1 ? [word, ...parts] : [word];
  });
}

/** A word as it is indexed: as written, so that half a word finds it, and its stem. */
function toTerms(word: string): string[] {
  const term = word.toLowerCase();
  return [...new Set([term, stemmer(term)])];
}
