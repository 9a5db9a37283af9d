import { withBase } from '@rspress/core/runtime';
import type { AfterSearch, DefaultMatchResultItem } from '@rspress/core/theme';
import { createSearch, type Hit, type Search, type Section } from './create-search.ts';

const PAGES = 8;
const SECTIONS_OF_A_PAGE = 3;
const STATEMENT_LENGTH = 110;

let search: Promise<Search> | undefined;

/**
 * Replaces the results of Rspress, whose search only finds the exact phrase, with our own. Rspress shows them in its
 * panel.
 */
export const afterSearch: AfterSearch = async (query, results) => {
  search ??= loadSearch().catch((error) => {
    search = undefined; // the next key tries again
    throw error;
  });
  const find = await search;
  const items = toItems(find(query), query);
  for (const group of results) group.result = items; // there is one, as the site has one language
};

async function loadSearch(): Promise<Search> {
  const response = await fetch(withBase('/search.json'), { cache: 'no-cache' });
  if (!response.ok) throw new Error(`search.json: status ${response.status}`);
  return createSearch((await response.json()) as Section[]);
}

/** The best sections of the best pages, page by page. */
function toItems(hits: Hit[], query: string): DefaultMatchResultItem[] {
  const pages = Map.groupBy(hits, ({ link }) => link.split('#')[0]);
  return [...pages.values()]
    .slice(0, PAGES)
    .flatMap((sections) => sections.slice(0, SECTIONS_OF_A_PAGE).map((hit) => toItem(hit, query)));
}

function toItem(
  { page, heading, link, text, isMatch }: Hit,
  query: string,
): DefaultMatchResultItem {
  const title = heading ? `${page} › ${heading}` : page;
  const words = [...text.matchAll(/[\p{L}\p{N}]+/gu)];
  const first = words.find(([word]) => isMatch(word))?.index ?? 0;
  const start = words.findLast(({ index }) => index <= Math.max(0, first - 30))?.index ?? 0;
  const statement = text.slice(start, start + STATEMENT_LENGTH);
  const marks = [...statement.matchAll(/[\p{L}\p{N}]+/gu)].filter(([word]) => isMatch(word));
  return {
    type: 'content',
    title,
    header: title,
    link,
    query,
    statement,
    highlightInfoList: marks.map(({ 0: word, index }) => ({ start: index, length: word.length })),
  };
}
