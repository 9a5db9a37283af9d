import { expect, it } from 'vitest';
import { rewriteLinks } from './rewrite-links.ts';

const toUpperCase = (target: string) => target.toUpperCase();

it('rewrites relative links, with their anchors', () => {
  const text = 'See [a](a.md), [`b`](../b.md#part) and [c](x/c.yaml).';
  expect(rewriteLinks(text, toUpperCase)).toBe(
    'See [a](A.MD), [`b`](../B.MD#PART) and [c](X/C.YAML).',
  );
});

it('leaves links to other hosts, anchors and code blocks', () => {
  const text =
    '[a](https://a.example/b) [b](#b) [c](mailto:c@a.example)\n\n```md\n[d](d.md)\n```\n';
  expect(rewriteLinks(text, toUpperCase)).toBe(text);
});
