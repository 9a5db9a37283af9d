import { globSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { parse } from 'yaml';

const ROOT = join(import.meta.dirname, '../../..');

/** The changes of all packages: those of the next release, then those of each package by version. */
export async function toChangelog(): Promise<string> {
  const pending = new Map<string, string[]>();
  for (const file of globSync('.changeset/*.md', { cwd: ROOT }).sort()) {
    if (basename(file) === 'README.md') continue;
    const { packages, text } = parseChangeset(await readFile(join(ROOT, file), 'utf8'));
    for (const name of packages) pending.set(name, [...(pending.get(name) ?? []), text]);
  }
  const next = [...pending].sort().map(([name, texts]) => toSection(`### ${name}`, texts));

  const released = globSync('{spec,packages/*}/CHANGELOG.md', { cwd: ROOT }).sort();
  const logs = released.map(async (file) => {
    const log = await readFile(join(ROOT, file), 'utf8');
    return log
      .replace(/^# .*$/m, `## @berth/${basename(dirname(file))}`)
      .replace(/^##(?=#)/gm, '##');
  });
  const parts = [
    '# Changelog',
    next.length > 0 ? `## Next release\n\n${next.join('\n')}` : '',
    ...(await Promise.all(logs)),
  ];
  return `${parts.filter(Boolean).join('\n\n')}\n`;
}

function parseChangeset(changeset: string): { packages: string[]; text: string } {
  const [, head = '', text = ''] = /^---\n(.*?)---\n(.*)$/s.exec(changeset) ?? [];
  return { packages: Object.keys(parse(head) ?? {}), text: text.trim().replace(/\s*\n\s*/g, ' ') };
}

function toSection(heading: string, texts: string[]): string {
  return `${heading}\n\n${texts.map((text) => `- ${text}`).join('\n')}\n`;
}
