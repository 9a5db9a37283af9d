/**
 * Where a Markdown file of the repository stands in the site.
 *
 * @param file path from the root of the repository
 * @returns path from the root of the site, ending in `.md`
 *
 * @example
 * toPagePath('packages/mock/README.md'); // 'packages/mock.md'
 * toPagePath('docs/decisions/README.md'); // 'decisions/index.md'
 */
export function toPagePath(file: string): string {
  if (file === 'spec/README.md') return 'packages/spec.md';
  if (!file.includes('/')) return `project/${file.toLowerCase()}`;
  if (file.startsWith('docs/'))
    return file.slice('docs/'.length).replace(/README\.md$/, 'index.md');
  return file.replace(/\/README\.md$/, '.md');
}
