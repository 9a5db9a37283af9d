import { stripTypeScriptTypes } from 'node:module';
import { EXAMPLE_URL } from './choices.ts';

const BLOCK = /(<!--[^>]*-->\s+)?^```ts\n(?<code>.*?)^```$/gms;

/** What a worker cannot serve, or a page cannot run. */
const ELSEWHERE =
  /from '(?!@berth\/client')|\.connect\(|createMock|declare |process\.|ToFile\(|\{ file: /;

/**
 * Adds a link to the playground below each program of a page that can run there: it uses nothing but the client, and
 * calls the mock.
 *
 * @param page path of the page in the site
 * @param programs gets the programs as JavaScript, by the name that the link has
 */
export function addRunLinks(page: string, markdown: string, programs: Map<string, string>): string {
  let count = 0;
  return markdown.replace(BLOCK, (block, note: string | undefined, code: string) => {
    if (!code.includes(EXAMPLE_URL) || ELSEWHERE.test(code)) return block;
    if (note !== undefined && !note.startsWith('<!-- file:')) return block;
    count += 1;
    const name = `${page.replace(/\.md$/, '')}-${count}`;
    programs.set(name, stripTypeScriptTypes(code));
    return `${block}\n\n[Run it in the playground](/playground/?run=${name})`;
  });
}
