import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { RspressPlugin } from '@rspress/core';
import type { Section } from '../search/create-search.ts';

export type Place = Pick<Section, 'group' | 'keywords'>;

type Page = Parameters<NonNullable<RspressPlugin['modifySearchIndexData']>>[0][number];

/**
 * Writes the sections of all pages to `search.json`, for our own search, and keeps Rspress from building its index.
 *
 * @param places the heading of the sidebar and the keywords of each page, by route, in the order of the sidebar
 * @param folder the folder with the public files of the site
 */
export function searchPlugin(places: Map<string, Place>, folder: string): RspressPlugin {
  return {
    name: 'berth-search',
    async modifySearchIndexData(pages) {
      const byRoute = new Map(pages.map((page) => [page.routePath, page]));
      const sections = [...places].flatMap(([route, place]) => {
        const page = byRoute.get(route);
        if (!page) throw new Error(`Rspress has no page ${route}.`);
        return toSections(page, place);
      });
      await mkdir(folder, { recursive: true });
      await writeFile(join(folder, 'search.json'), JSON.stringify(sections));
      for (const page of pages) page.frontmatter = { ...page.frontmatter, search: false };
    },
  };
}

/** The sections of a page. Rspress gives its text, and where each heading is in it. */
function toSections({ title, content, routePath, toc }: Page, place: Place): Section[] {
  const starts = [
    { heading: '', anchor: '', at: 0 },
    ...toc.map(({ text, id, charIndex }) => ({ heading: text, anchor: `#${id}`, at: charIndex })),
  ];
  return starts.map(({ heading, anchor, at }, index) => ({
    link: `${routePath}${anchor}`,
    page: title,
    heading,
    group: place.group,
    keywords: index === 0 ? place.keywords : '',
    text: content
      .slice(at, starts[index + 1]?.at)
      .trim()
      .slice(heading.length)
      .replace(/\s+/g, ' ')
      .trim(),
  }));
}
